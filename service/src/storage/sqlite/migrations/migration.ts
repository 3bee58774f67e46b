/** A step from one version of the database to the next. */
export type Migration = {
  name: string
  /** What it is for, in a few words for operators. */
  does: string
  statements: readonly string[]
}
