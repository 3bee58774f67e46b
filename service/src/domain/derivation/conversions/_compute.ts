import { inputNames, prepareConversion } from '../conversion.ts'

/** Computes a kind of conversion; undefined without a value. */
export function compute(
  kind: string,
  parameters: Record<string, number | string>,
  inputs: Record<string, number>,
): number | undefined {
  const names = inputNames({ kind, parameters })
  const all = Object.fromEntries(names.map((name) => [name, inputs[name] ?? NaN]))
  const result = prepareConversion({ kind, parameters })(all)
  return Number.isFinite(result) ? result : undefined
}

/** Whether two numbers are equal apart from rounding. */
export function isClose(a: number | undefined, b: number, scale = Math.abs(b)): boolean {
  return a !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(1, scale)
}
