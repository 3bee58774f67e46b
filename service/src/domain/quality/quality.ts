/**
 * How far a value can be trusted, in the classes of OPC UA status codes (IEC 62541-4, StatusCode).
 *
 * A bad value is kept, and is neither served nor evaluated nor derived from. An uncertain one is
 * served, and what is derived from it is uncertain too.
 */
export type QualityClass = 'good' | 'uncertain' | 'bad'

/** The classes from the best to the worst. */
export const QUALITY_CLASSES: readonly QualityClass[] = ['good', 'uncertain', 'bad']

/** A class, and why a value is in it: a code such as `sensorFailure`, or words; empty where nobody said. */
export type Quality = Readonly<{ quality: QualityClass; reason: string }>

/**
 * Who gave a value its quality: its sender (also by the flags of a file), a rule of a threshold batch,
 * a person, or the raw values that it is derived from.
 */
export type MarkOrigin = 'sender' | 'rule' | 'person' | 'input'

/** The quality of one value that is not simply good. Only a person marks a value as good. */
export type Mark = Quality & Readonly<{ origin: MarkOrigin }>

/** Marks in the order of the items; undefined where a value is good. */
export type Marks = readonly (Mark | undefined)[]

/** The mark of a value that is derived from an uncertain one. */
export const UNCERTAIN_INPUT: Mark = Object.freeze({
  quality: 'uncertain',
  reason: 'uncertainInput',
  origin: 'input',
})

/** The worse of two qualities; of two equally bad ones the first. */
export function worse<One extends Quality>(one: One, other: One): One {
  return rank(other) > rank(one) ? other : one
}

const rank = ({ quality }: Quality): number => QUALITY_CLASSES.indexOf(quality)
