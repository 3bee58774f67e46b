export type FlvTag = { bytes: Buffer }
export class FlvReader {
  constructor(_options: { onTag(tag: FlvTag): void }) {}
  push(_chunk: Buffer): void {}
}
export class FlvFanOut {
  viewers = 0
  constructor(_options: { now(): number }) {}
  add(_tag: FlvTag): void {}
  interrupt(): void {}
  async *join(_signal: AbortSignal): AsyncIterable<Buffer> {}
}
