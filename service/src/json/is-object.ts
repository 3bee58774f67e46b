/** Whether a value is an object or a list, so that its members can be read by name. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
