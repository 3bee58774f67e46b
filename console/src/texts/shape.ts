/** The shape of a catalogue: the same keys, each a text or a function of the same parameters. */
export type Texts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...parameters: infer P) => string
      ? (...parameters: P) => string
      : Texts<T[K]>
}
