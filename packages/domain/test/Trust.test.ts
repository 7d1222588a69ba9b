import { assert, describe, it } from "@effect/vitest"
import { distrust, type FileState, type Trust } from "../src/settings/Trust.ts"

const [us, stranger] = [1000, 1002]
const file: FileState = { kind: "file", size: 10, uid: us, mode: 0o100644, ownGroup: false }
const folder: FileState = { kind: "folder", size: 4096, uid: us, mode: 0o40755, ownGroup: false }

const why = (trust: Trust, seen: FileState) => distrust(trust, seen, us)

describe("behaviour#files-of-others", () => {
  it("a file or folder of this user, or of root, is trusted where no other user may write it", () => {
    for (const uid of [us, 0]) {
      assert.isUndefined(why({}, { ...file, uid }))
      assert.isUndefined(why({ folder: true }, { ...folder, uid }))
    }
    assert.isUndefined(why({ atMost: 10 }, file))
    assert.isUndefined(why({ folder: true, atMost: 10 }, folder))
  })
  it("distrusts another user's, whose kind is another, and what is larger than it may be", () => {
    assert.match(why({}, { ...file, uid: stranger })!, /another user \(uid 1002, this is 1000\).*chown/)
    assert.match(why({ own: true }, { ...file, uid: 0 })!, /another user/)
    assert.match(why({}, folder)!, /no regular file/)
    assert.match(why({}, { ...file, kind: "other" })!, /no regular file/)
    assert.match(why({ folder: true }, file)!, /no folder/)
    assert.match(why({ atMost: 9 }, file)!, /larger than 9 bytes/)
    // Root trusts itself alone.
    assert.match(distrust({}, file, 0)!, /another user/)
  })

  it("distrusts what its group or others may write, or look into where that is asked for, and says how to change it", () => {
    for (const bits of [0o020, 0o002, 0o022, 0o1002]) {
      assert.match(why({}, { ...file, mode: file.mode | bits })!, /others may write .*go-w/)
      assert.match(why({ folder: true }, { ...folder, mode: folder.mode | bits })!, /others may write .*go-w/)
      assert.match(why({ others: "nothing" }, { ...file, mode: 0o600 | bits })!, /go-rwx/)
    }
    assert.isUndefined(why({ others: "write as its group" }, { ...file, mode: 0o664 }))
    assert.match(why({ others: "write as its group" }, { ...file, mode: 0o666 })!, /o-w/)
    for (const bits of [0o040, 0o010, 0o004, 0o001])
      assert.match(why({ others: "nothing" }, { ...file, mode: 0o600 | bits })!, /look/)
    assert.isUndefined(why({ others: "nothing" }, { ...file, mode: 0o100600 }))
  })
  it("trusts what a group of this user alone may write, unless others may write or look, too", () => {
    assert.isUndefined(why({}, { ...file, mode: 0o664, ownGroup: true }))
    assert.isUndefined(why({ folder: true }, { ...folder, mode: 0o775, ownGroup: true }))
    assert.match(why({}, { ...file, mode: 0o666, ownGroup: true })!, /others may write .*go-w/)
    assert.match(why({ others: "nothing" }, { ...file, mode: 0o660, ownGroup: true })!, /go-rwx/)
  })
})
