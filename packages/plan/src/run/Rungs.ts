/** The rejection of a task after which a fresh implementer takes over (spec: behaviour#ladder). */
export const freshImplementerRung = 2

/** The rejection, failed assignment in a row, or red gate after which a person is asked (spec: behaviour#ladder). */
export const personRung = 3

/** Returns the rejection after which a person is asked: the final review has one fresh implementer. */
export const rejectionRung = ({ final }: { readonly final?: true | undefined }): number =>
  final === true ? 2 : personRung
