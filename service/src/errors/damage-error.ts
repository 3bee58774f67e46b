/** Stored bytes differ from those that were written. */
export class DamageError extends Error {
  override name = 'DamageError'
}
