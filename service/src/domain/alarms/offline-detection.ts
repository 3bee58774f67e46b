import type { DeviceEntry } from '../site/site-entry.ts'
import { formatValue, toLine } from './alarm-content.ts'
import { DEVICE_ALARMS, type AlarmType, type DeviceCause } from './alarm-types.ts'

export type MonitoredDevice = Pick<
  DeviceEntry,
  'id' | 'name' | 'deviceKind' | 'parent' | 'intervalSeconds'
>

/** The instants of the last contacts of a device: without an error, and with one. */
export type DeviceSigns = Readonly<{
  goodAt: number | null
  errorAt: number | null
  /** The text of the last reported error. */
  error: string | null
}>

/** An alarm of a device that is raised or cleared. */
type DeviceAlarmChange = Readonly<{
  change: 'raise' | 'clear'
  device: string
  cause: DeviceCause
  type: AlarmType
  content: string
}>

type OfflineSettings = Readonly<{
  /** A device is offline after more than this number of its intervals without a contact. */
  offlineAfter: number
  /** The instant since which the service receives; silence before it does not count. */
  listeningSince: number
}>

const NO_SIGNS: DeviceSigns = { goodAt: null, errorAt: null, error: null }

/**
 * Returns the alarms of the devices of a structure that are raised or cleared.
 *
 * `isOpen` returns whether a device has an open alarm of a cause. A contact of a device is also one
 * of its parents. In a silent branch only the highest silent device has an alarm; a device below it
 * has one only if it missed a report while its parents were in contact. A reported error is an alarm
 * of its own, and a contact.
 */
export function evaluateDevices(
  devices: readonly MonitoredDevice[],
  signsOf: (device: string) => DeviceSigns | undefined,
  isOpen: (device: string, cause: DeviceCause) => boolean,
  now: number,
  settings: OfflineSettings,
): DeviceAlarmChange[] {
  const tree = new DeviceTree(devices, signsOf, now, settings)
  const changes: DeviceAlarmChange[] = []
  for (const device of devices) {
    const { id } = device
    const signs = signsOf(id) ?? NO_SIGNS
    const add = (change: 'raise' | 'clear', cause: DeviceCause, content: string): void => {
      const type = DEVICE_ALARMS[device.deviceKind][cause]
      changes.push({ change, device: id, cause, type, content })
    }

    const isSilent = tree.isSilent(device)
    if (isOpen(id, 'silence')) {
      if (!isSilent) add('clear', 'silence', 'in contact again')
    } else if (isSilent && tree.isCause(device)) {
      add('raise', 'silence', tree.describeSilence(device))
    }

    const isInError = signs.errorAt !== null && signs.errorAt > (signs.goodAt ?? -Infinity)
    if (isOpen(id, 'error')) {
      if (!isInError) add('clear', 'error', 'answers without an error again')
    } else if (isInError) {
      const detail = signs.error === null || signs.error === '' ? '' : `: ${signs.error}`
      add('raise', 'error', toLine(`reports an error${detail}`, 500))
    }
  }
  return changes
}

class DeviceTree {
  readonly #byId: ReadonlyMap<string, MonitoredDevice>
  readonly #children: ReadonlyMap<string | null, MonitoredDevice[]>
  readonly #contactAt = new Map<string, number>()
  readonly #now: number
  readonly #settings: OfflineSettings

  constructor(
    devices: readonly MonitoredDevice[],
    signsOf: (device: string) => DeviceSigns | undefined,
    now: number,
    settings: OfflineSettings,
  ) {
    this.#byId = new Map(devices.map((device) => [device.id, device]))
    this.#children = Map.groupBy(devices, ({ parent }) => parent)
    this.#now = now
    this.#settings = settings
    for (const device of devices) {
      const { goodAt, errorAt } = signsOf(device.id) ?? NO_SIGNS
      const contact = Math.max(goodAt ?? -Infinity, errorAt ?? -Infinity)
      for (const one of [device, ...this.#parentsOf(device)]) {
        this.#contactAt.set(one.id, Math.max(this.#contactAt.get(one.id) ?? -Infinity, contact))
      }
    }
  }

  isSilent(device: MonitoredDevice): boolean {
    const { intervalSeconds } = device
    if (intervalSeconds === null) return false
    return (
      this.#now - this.#lastContactAt(device) > intervalSeconds * 1000 * this.#settings.offlineAfter
    )
  }

  /** Whether all parents are in contact, and were when the device missed its report. */
  isCause(device: MonitoredDevice): boolean {
    const dueAt = this.#lastContactAt(device) + (device.intervalSeconds ?? 0) * 1000
    return this.#parentsOf(device).every((parent) => {
      if (parent.intervalSeconds === null) return true
      return !this.isSilent(parent) && (this.#contactAt.get(parent.id) ?? -Infinity) >= dueAt
    })
  }

  describeSilence(device: MonitoredDevice): string {
    const seconds = Math.floor((this.#now - this.#lastContactAt(device)) / 1000)
    const below = this.#countBelow(device)
    const hidden = below === 0 ? '' : `; ${below} ${below === 1 ? 'device' : 'devices'} below it`
    return `silent for ${formatSpan(seconds)}, expected every ${formatSpan(device.intervalSeconds ?? 0)}${hidden}`
  }

  #lastContactAt({ id }: MonitoredDevice): number {
    return Math.max(this.#contactAt.get(id) ?? -Infinity, this.#settings.listeningSince)
  }

  /** The devices that it reports through, the nearest first; each once, even in a cycle. */
  #parentsOf(device: MonitoredDevice): MonitoredDevice[] {
    const parents: MonitoredDevice[] = []
    let { parent } = device
    while (parent !== null) {
      const next = this.#byId.get(parent)
      if (next === undefined || next === device || parents.includes(next)) break
      parents.push(next)
      ;({ parent } = next)
    }
    return parents
  }

  #countBelow({ id }: MonitoredDevice): number {
    const counted = new Set<string>()
    const waiting = [id]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      for (const child of this.#children.get(one) ?? []) {
        if (child.id === id || counted.has(child.id)) continue
        counted.add(child.id)
        waiting.push(child.id)
      }
    }
    return counted.size
  }
}

function formatSpan(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${formatValue(Math.round(seconds / 6) / 10)} min`
  if (seconds < 172_800) return `${formatValue(Math.round(seconds / 360) / 10)} h`
  return `${formatValue(Math.round(seconds / 8640) / 10)} d`
}
