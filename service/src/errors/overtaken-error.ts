/** Somebody else was faster: what a write was made from is no longer so, and nothing was changed. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}
