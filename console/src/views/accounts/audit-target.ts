/** The part of a target that the console can show, by the parameter that names it. */
const ADDRESSES: readonly (readonly [parameter: string, address: (id: string) => string])[] = [
  ['alarmId', (id) => `#/alarms/${id}`],
  ['stationId', (id) => `#/stations/${id}`],
  ['station', (id) => `#/stations/${id}`],
  ['structureId', (id) => `#/structures/${id}`],
  ['structId', (id) => `#/structures/${id}/thresholds`],
  ['structure', (id) => `#/structures/${id}`],
  ['importId', () => '#/operate/imports'],
  ['changeId', () => '#/operate/imports'],
  ['windowId', () => '#/operate/maintenance'],
  ['appId', () => '#/operate/applications'],
  ['account', () => '#/accounts'],
]

/** The address in the console of what a line of the audit log has changed; undefined without one. */
export function addressOfTarget(target: string | null): string | undefined {
  const values = new Map(
    Array.from((target ?? '').matchAll(/(\w+)=(\S+)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
  for (const [parameter, address] of ADDRESSES) {
    const value = values.get(parameter)
    if (value !== undefined && /^[\w.@-]+$/.test(value)) return address(value)
  }
  return undefined
}
