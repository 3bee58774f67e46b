/** A way to compute a station's value from what its sensors sent. */
export type ConversionKind<
  Parameter extends string = string,
  Text extends string = string,
  Input extends string = string,
> = Readonly<{
  summary: string
  /** Where the formula comes from. */
  source: string
  /** Its numbers. */
  parameters: Readonly<Record<Parameter, ConversionParameter>>
  /** Its texts, besides those that name a raw value. */
  texts?: Readonly<Record<Text, ConversionText>>
  /** What it reads, by input name; a text parameter of that name may say under which raw key. */
  inputs: Readonly<Record<Input, string>>
  /** Names that a text brings along; each is a number among the parameters, or is read. */
  namesIn?(texts: Readonly<Record<Text, string>>): readonly string[]
  /** Why parameters that are each right make no sense together; undefined when they do. */
  findFault?(
    numbers: Readonly<Record<Parameter, number>>,
    texts: Readonly<Record<Text, string>>,
  ): string | undefined
  /**
   * The function of these parameters, made once for many values. The parameters come with their
   * defaults; one that may be left out, and was, is NaN.
   */
  prepare(
    numbers: Readonly<Record<Parameter, number>>,
    texts: Readonly<Record<Text, string>>,
  ): Compute<Input>
}>

/** Pure. An input that is missing is NaN, and so is a result that cannot be. */
export type Compute<Input extends string = string> = (
  inputs: Readonly<Record<Input, number>>,
) => number

export type ConversionParameter = Readonly<{
  unit: string
  /** Without one the parameter must be given. */
  default?: number
  /** It may be left out and has no default. */
  optional?: true
  /** Another parameter beside which the default does not hold, and this one must be given. */
  neededWith?: string
  /** Every value is above this one. */
  above?: number
  /** Every value is a whole number. */
  whole?: true
  description: string
}>

export type ConversionText = Readonly<{
  /** Without one the text must be given. */
  default?: string
  /** The only texts there are. */
  oneOf?: readonly string[]
  description: string
}>

/** Gives a kind as every caller sees it, its own names checked against each other. */
export function conversionKind<
  const Parameter extends string,
  const Input extends string,
  const Text extends string = never,
>(kind: ConversionKind<Parameter, Text, Input>): ConversionKind {
  return kind as unknown as ConversionKind
}
