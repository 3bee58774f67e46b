const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?:Z|[+-]\d\d:\d\d)?$/

/**
 * Times of the interface are local times of the structure, `2022-04-11 08:36:24.500`. Charts count them
 * in seconds as if they were UTC, so that every browser shows what the structure's clock showed. The
 * offset of an instant, `2022-04-11T08:36:24.500+02:00`, is left out for that. NaN where a text is no time.
 */
export function parseLocal(text: string): number {
  const [, day = '', time = '00:00'] = LOCAL_TIME.exec(text.trim()) ?? []
  const milliseconds = Date.parse(`${day}T${time}Z`)
  // Browsers take 30 February for 1 March.
  const isDay = !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(day)
  return isDay ? milliseconds / 1000 : NaN
}

/** The reverse of `parseLocal`, with milliseconds where there are any. */
export function formatLocal(seconds: number): string {
  const text = new Date(Math.round(seconds * 1000)).toISOString().replace('T', ' ').slice(0, -1)
  return text.endsWith('.000') ? text.slice(0, -4) : text
}
