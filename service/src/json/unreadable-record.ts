/** What stands in the place of a record that could not be read, and why. */
export class UnreadableRecord {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
