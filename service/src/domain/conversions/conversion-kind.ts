/** A way to compute a station's value from what its sensor sent. */
export type ConversionKind = Readonly<{
  summary: string
  /** Where the formula comes from. */
  source: string
  parameters: Readonly<Record<string, ConversionParameter>>
  /** What it reads, by input name; a text parameter of that name may say under which raw key. */
  inputs: Readonly<Record<string, string>>
  /** Pure. Undefined when an input or a needed parameter is missing, or the result not finite. */
  convert(
    inputs: Readonly<Record<string, number>>,
    parameters: Readonly<Record<string, number>>,
  ): number | undefined
}>

export type ConversionParameter = Readonly<{
  unit: string
  /** Without one the parameter must be given. */
  default?: number
  /** Another parameter beside which the default does not hold, and this one must be given. */
  neededWith?: string
  description: string
}>

/** The value, when it is a finite number. */
export function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
