/** A step from one version of the database to the next. */
export type Migration = {
  name: string
  /** What the step does, in a few words for operators. */
  does: string
  statements: readonly string[]
}
