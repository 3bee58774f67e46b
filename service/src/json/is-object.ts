/** Whether a value is an object with members, no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  isObjectOrList(value) && !Array.isArray(value)

/** Whether the members or elements of a value can be read by name. */
export const isObjectOrList = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
