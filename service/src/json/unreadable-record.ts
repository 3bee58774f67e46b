/** A record that cannot be read, with the reason. */
export class UnreadableRecord {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
