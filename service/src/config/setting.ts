/** One setting: its default says its type, its description stands in the sample file. */
export type Setting<Value extends number | string | string[]> = {
  default: Value
  description: string
  /** What the value must be, beyond its type. */
  expected?: string
  accepts?(value: Value): boolean
}

/** A setting whose value has the type of its default. */
export const setting = <Value extends number | string | string[]>(definition: Setting<Value>) =>
  definition

/** A whole number within bounds, both included. */
export const count = (minimum: number, maximum: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  accepts: (value: number): boolean =>
    Number.isInteger(value) && value >= minimum && value <= maximum,
})
