/** A kind of conversion: a way to compute a station's value from raw values. */
export type ConversionKind<
  Parameter extends string = string,
  Text extends string = string,
  Input extends string = string,
> = Readonly<{
  summary: string
  /** The source of the formula. */
  source: string
  /** The parameters that are numbers. */
  parameters: Readonly<Record<Parameter, ConversionParameter>>
  /** The parameters that are texts, except those that name a raw value. */
  texts?: Readonly<Record<Text, ConversionText>>
  /** Descriptions of the raw values by input name; a text parameter of that name may be the raw key. */
  inputs: Readonly<Record<Input, string>>
  /** The names in a text; each is a number of the parameters or an input. */
  namesIn?(texts: Readonly<Record<Text, string>>): readonly string[]
  /** Why valid parameters contradict each other; undefined if they do not. */
  findFault?(
    numbers: Readonly<Record<Parameter, number>>,
    texts: Readonly<Record<Text, string>>,
  ): string | undefined
  /**
   * Returns the function of these parameters, prepared once for many values. Missing parameters have
   * their default, optional ones NaN.
   */
  prepare(
    numbers: Readonly<Record<Parameter, number>>,
    texts: Readonly<Record<Text, string>>,
  ): Compute<Input>
}>

/** A pure function. A missing input is NaN, and so is a missing result. */
export type Compute<Input extends string = string> = (
  inputs: Readonly<Record<Input, number>>,
) => number

export type ConversionParameter = Readonly<{
  unit: string
  /** A parameter without a default is required, unless it is optional. */
  default?: number
  /** Not required, without a default. */
  optional?: true
  /** The parameter that makes this one required in spite of its default. */
  neededWith?: string
  /** The exclusive lower bound. */
  above?: number
  /** Whether only whole numbers are accepted. */
  whole?: true
  description: string
}>

export type ConversionText = Readonly<{
  /** A text without a default is required. */
  default?: string
  /** The accepted texts. */
  oneOf?: readonly string[]
  description: string
}>

/** Declares a kind; its names are checked against each other by type. */
export function conversionKind<
  const Parameter extends string,
  const Input extends string,
  const Text extends string = never,
>(kind: ConversionKind<Parameter, Text, Input>): ConversionKind {
  return kind as ConversionKind
}
