import { memberOf } from '../requests/member-of.ts'

/** The members of bodies that name what is changed, in the order in which a target has them. */
const NAMING_MEMBERS = [
  'structure',
  'factor',
  'station',
  'sensor',
  'structures',
  'stations',
  'sensors',
  'alarmIds',
  'ids',
  'userId',
  'name',
] as const

/** The members of responses that name what was made, by operation, and the parameter that names it later. */
const MADE: Readonly<Record<string, readonly [member: string, parameter: string]>> = {
  startImport: ['id', 'importId'],
  addMaintenance: ['id', 'windowId'],
  createApplication: ['appId', 'appId'],
  createThresholdBatch: ['batchNo', 'batchNo'],
}

/** The most members of a list that a target names. */
const LIST_MAXIMUM = 20
const TEXT_MAXIMUM = 200

type Changed = { operation: string; params: unknown; body: unknown; response?: unknown }

/**
 * What a request changes, as `stationId=1001 changeId=17`: its parameters, members of its body, and of the
 * response what was made. Null where nothing names it.
 */
export function describeTarget({ operation, params, body, response }: Changed): string | null {
  const [member = '', parameter = ''] = MADE[operation] ?? []
  const parts = [
    ...Object.entries(params ?? {}),
    ...NAMING_MEMBERS.map((name) => [name, memberOf(body, name)] as const),
    [parameter, memberOf(response, member)] as const,
    ['changeId', memberOf(response, 'change')] as const,
  ].flatMap(([name, value]) => {
    const text = describeValue(value)
    return text === undefined ? [] : [`${name}=${text}`]
  })
  return parts.length === 0 ? null : parts.join(' ')
}

function describeValue(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.slice(0, TEXT_MAXIMUM)
  if (!Array.isArray(value) || value.length === 0) return undefined
  const listed = value.slice(0, LIST_MAXIMUM).filter((one) => describeValue(one) !== undefined)
  const rest = value.length - LIST_MAXIMUM
  return `${listed.map(describeValue).join(',')}${rest > 0 ? ` and ${rest} more` : ''}`
}
