import type { DeviceEntry } from '../site/site-entry.ts'
import { formatValue, toLine } from './alarm-content.ts'
import { DEVICE_ALARMS, type AlarmType, type DeviceCause } from './alarm-types.ts'

export type MonitoredDevice = Pick<
  DeviceEntry,
  'id' | 'name' | 'deviceKind' | 'parent' | 'intervalSeconds'
>

/** The last signs of life of a device, as epoch milliseconds: good ones, and reports of an error. */
export type DeviceSigns = Readonly<{
  goodAt: number | null
  errorAt: number | null
  /** What the last report of an error says. */
  error: string | null
}>

/** An alarm about a device that begins or ends. */
export type DeviceAlarmChange = Readonly<{
  change: 'raise' | 'clear'
  device: string
  cause: DeviceCause
  type: AlarmType
  content: string
}>

export type OfflineSettings = Readonly<{
  /** Silent for more than so many of its own intervals is offline. */
  offlineAfter: number
  /** Since when the service has been listening; silence before that is nobody's fault. */
  listeningSince: number
}>

const NO_SIGNS: DeviceSigns = { goodAt: null, errorAt: null, error: null }

/**
 * Looks at the devices of a structure and tells which alarms begin and which end.
 *
 * `isOpen` says whether a device has an open alarm of a cause. What comes through a parent is a
 * sign of life of the parent too. Of a dead branch the highest dead device alone is alarmed, and a
 * child only once it has missed a report while everything above it was demonstrably alive. An
 * error that is reported is an alarm of its own and a sign of life.
 */
export function evaluateDevices(
  devices: readonly MonitoredDevice[],
  signsOf: (device: string) => DeviceSigns | undefined,
  isOpen: (device: string, cause: DeviceCause) => boolean,
  now: number,
  settings: OfflineSettings,
): DeviceAlarmChange[] {
  const tree = new DeviceTree(devices, signsOf, now, settings)
  const transitions: DeviceAlarmChange[] = []
  for (const device of devices) {
    const { id } = device
    const signs = signsOf(id) ?? NO_SIGNS
    const transition = (change: 'raise' | 'clear', cause: DeviceCause, content: string): void => {
      const type = DEVICE_ALARMS[device.deviceKind][cause]
      transitions.push({ change, device: id, cause, type, content })
    }

    const isSilent = tree.isSilent(device)
    if (isOpen(id, 'silence')) {
      if (!isSilent) transition('clear', 'silence', 'in contact again')
    } else if (isSilent && tree.isToBlame(device)) {
      transition('raise', 'silence', tree.describeSilence(device))
    }

    const isInError = signs.errorAt !== null && signs.errorAt > (signs.goodAt ?? -Infinity)
    if (isOpen(id, 'error')) {
      if (!isInError) transition('clear', 'error', 'answers without an error again')
    } else if (isInError) {
      const words = signs.error === null || signs.error === '' ? '' : `: ${signs.error}`
      transition('raise', 'error', toLine(`reports an error${words}`, 500))
    }
  }
  return transitions
}

class DeviceTree {
  readonly #byId: ReadonlyMap<string, MonitoredDevice>
  readonly #children: ReadonlyMap<string | null, MonitoredDevice[]>
  readonly #aliveAt = new Map<string, number>()
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
      const sign = Math.max(goodAt ?? -Infinity, errorAt ?? -Infinity)
      for (const one of [device, ...this.#above(device)]) {
        this.#aliveAt.set(one.id, Math.max(this.#aliveAt.get(one.id) ?? -Infinity, sign))
      }
    }
  }

  isSilent(device: MonitoredDevice): boolean {
    const { intervalSeconds } = device
    if (intervalSeconds === null) return false
    return this.#now - this.#heardAt(device) > intervalSeconds * 1000 * this.#settings.offlineAfter
  }

  /** Everything above is alive, and was when this device should have reported and did not. */
  isToBlame(device: MonitoredDevice): boolean {
    const dueAt = this.#heardAt(device) + (device.intervalSeconds ?? 0) * 1000
    return this.#above(device).every((parent) => {
      if (parent.intervalSeconds === null) return true
      return !this.isSilent(parent) && (this.#aliveAt.get(parent.id) ?? -Infinity) >= dueAt
    })
  }

  describeSilence(device: MonitoredDevice): string {
    const seconds = Math.floor((this.#now - this.#heardAt(device)) / 1000)
    const below = this.#countBelow(device)
    const hidden = below === 0 ? '' : `; ${below} ${below === 1 ? 'device' : 'devices'} below it`
    return `silent for ${formatSpan(seconds)}, expected every ${formatSpan(device.intervalSeconds ?? 0)}${hidden}`
  }

  #heardAt({ id }: MonitoredDevice): number {
    return Math.max(this.#aliveAt.get(id) ?? -Infinity, this.#settings.listeningSince)
  }

  /** The devices it reports through, the nearest first; each once, however they are linked. */
  #above(device: MonitoredDevice): MonitoredDevice[] {
    const above: MonitoredDevice[] = []
    let { parent } = device
    while (parent !== null) {
      const next = this.#byId.get(parent)
      if (next === undefined || next === device || above.includes(next)) break
      above.push(next)
      ;({ parent } = next)
    }
    return above
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
