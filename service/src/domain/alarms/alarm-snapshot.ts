/** An alarm whose record is older gets no picture: it would show another day. */
const PICTURE_AFTER_MILLISECONDS = 86_400_000

/**
 * Whether a camera takes a picture of a transition: of the first one of an alarm, unless its record is
 * late or more than a day older than the moment at which it was stored.
 */
export const isPictured = (transition: {
  isNew: boolean
  isLate: boolean
  /** The instant of the record; undefined where its local time does not exist. */
  recordAt: number | undefined
  storedAt: number
}): boolean => {
  const { isNew, isLate, recordAt = -Infinity, storedAt } = transition
  return isNew && !isLate && storedAt - recordAt <= PICTURE_AFTER_MILLISECONDS
}
