/** The raw records that a write follows from are not as they were read; nothing was changed. */
export class OutdatedError extends Error {
  override name = 'OutdatedError'
}
