import { applyEvent, type AlarmEvent } from '../domain/alarms/alarm-lifecycle.ts'
import { isOpen } from '../domain/alarms/alarm-state.ts'
import { DATA_ALARMS, DEVICE_ALARMS, type AlarmType } from '../domain/alarms/alarm-types.ts'
import { evaluateDevices, type DeviceSigns } from '../domain/alarms/offline-detection.ts'
import { STRUCTURE_ALARMS } from '../domain/alarms/alarm-settings.ts'
import type { Catalogue, CatalogueStructure } from '../domain/site/catalogue.ts'
import { zone as zoneOf } from '../domain/time/local-time.ts'
import type { AlarmChange, Storage } from '../storage/storage.ts'
import { changeOf, type AlarmSource } from './alarm-change.ts'
import { readSigns } from './device-signs.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { alarmSettings } from './station-evaluators.ts'
import type { AlarmStates } from './alarm-states.ts'

type DetectionOptions = {
  commits: AlarmCommits
  storage: Pick<Storage, 'alarms' | 'devices' | 'records' | 'earlyRecords'>
  catalogue: Catalogue
  now: number
  /** Since when the service has been receiving records. */
  listeningSince: number
}

/** Raises and clears the alarms of devices, and ends those of sources that are no longer declared. */
export async function detectOffline(options: DetectionOptions): Promise<{ changes: number }> {
  const { commits, storage, catalogue, now } = options
  const horizon = commits.horizon()
  const signs = await readSigns(storage, catalogue, { now, horizon })
  const open = await storage.alarms.listOpen()
  const transitions = findTransitions(options, signs, new OpenAlarms(open))
  const orphans = open.filter((alarm) => !isDeclared(catalogue, alarm))
  // Most devices change nothing: the states of the others alone are read, and have to stay as they are.
  const sources = [...transitions.map(({ about }) => about.source.id), ...orphans.map(sourceOf)]
  if (sources.length === 0) return { changes: 0 }
  return commits.change(sources, async (states) => {
    const changes = [
      ...transitions.flatMap((one) => takeTransition(states, one, horizon)),
      ...(await endOrphans(options, orphans, states, horizon)),
    ]
    return { changes, result: { changes: changes.length } }
  })
}

/** A source and alarm type with an open alarm. */
type OpenAlarm = { source: string; typeCode: string }

const sourceOf = ({ source }: OpenAlarm): string => source

class OpenAlarms {
  readonly #types: ReadonlyMap<string, readonly OpenAlarm[]>

  constructor(alarms: readonly OpenAlarm[]) {
    this.#types = Map.groupBy(alarms, sourceOf)
  }

  has(source: string, { code }: AlarmType): boolean {
    return this.#types.get(source)?.some(({ typeCode }) => typeCode === code) === true
  }
}

/** An alarm of a device that is to be raised or cleared. */
type DeviceTransition = { change: 'raise' | 'clear'; about: AlarmSource; event: AlarmEvent }

function findTransitions(
  { catalogue, now, listeningSince }: DetectionOptions,
  signs: ReadonlyMap<string, DeviceSigns>,
  open: OpenAlarms,
): DeviceTransition[] {
  const found: DeviceTransition[] = []
  const byStructure = Map.groupBy(catalogue.devices.values(), ({ structure }) => structure)
  for (const [id, devices] of byStructure) {
    const structure = catalogue.structures.get(id)
    if (structure === undefined) continue
    const transitions = evaluateDevices(
      devices,
      (device) => signs.get(device),
      (device, cause) => {
        const { deviceKind } = catalogue.devices.get(device) ?? {}
        return deviceKind !== undefined && open.has(device, DEVICE_ALARMS[deviceKind][cause])
      },
      now,
      { offlineAfter: alarmSettings(structure).offlineAfter, listeningSince },
    )
    for (const { change, device, type, content } of transitions) {
      const { name = device } = catalogue.devices.get(device) ?? {}
      const about = { structure: id, zone: structure.zone, source: { id: device, name }, type }
      found.push({ change, about, event: eventOf(change, structure, content, now) })
    }
  }
  return found
}

function eventOf(
  change: 'raise' | 'clear',
  structure: CatalogueStructure,
  content: string,
  time: number,
): AlarmEvent {
  const { deviceLevel: level } = alarmSettings(structure)
  return change === 'raise'
    ? { kind: 'violation', time, newest: null, level, items: [], content }
    : { kind: 'normal', time, newest: null, content }
}

/** Nothing where another writer has raised or cleared the alarm since it was looked for. */
function takeTransition(
  states: AlarmStates,
  { change, about, event }: DeviceTransition,
  horizon: number,
): AlarmChange[] {
  const state = states.of(about.source.id).alarmStates.get(about.type.code)
  const isRaised = state !== undefined && isOpen(state)
  return isRaised === (change === 'raise') ? [] : applyTo(states, event, about, horizon)
}

function applyTo(
  states: AlarmStates,
  event: AlarmEvent,
  about: AlarmSource,
  horizon: number,
): AlarmChange[] {
  const state = states.of(about.source.id).alarmStates.get(about.type.code) ?? null
  const { severity } = STRUCTURE_ALARMS
  const settings = { typeCode: about.type.code, severity, clearAfter: 1, needsPerson: false }
  const change = changeOf(applyEvent(state, event, settings, horizon), about)
  return change === undefined ? [] : [change]
}

/** Ends the alarms of sources that are no longer declared: no record will clear them. */
async function endOrphans(
  { catalogue, storage, now }: DetectionOptions,
  orphans: readonly OpenAlarm[],
  states: AlarmStates,
  horizon: number,
): Promise<AlarmChange[]> {
  const changes: AlarmChange[] = []
  for (const { source, typeCode } of orphans) {
    const state = states.of(source).alarmStates.get(typeCode)
    if (state === undefined || !isOpen(state)) continue
    const alarm = await storage.alarms.findOpen(source, typeCode)
    if (alarm === undefined) continue
    const { structure, category, sourceType } = alarm
    const what = STATION_CODES.has(typeCode) ? 'station' : 'device'
    const content = `the ${what} is no longer declared`
    // The times of records may be ahead of the clock, up to the horizon.
    const last = Math.max(state.violationAt, (state.normalAt ?? 0) + 1)
    const time = last > horizon ? now : Math.max(now, last)
    const event = { kind: 'normal', time, newest: null, content } as const
    const about = {
      structure,
      zone: catalogue.structures.get(structure)?.zone ?? zoneOf('UTC'),
      source: alarm.source,
      type: { code: typeCode, category, sourceType },
    }
    changes.push(...applyTo(states, event, about, horizon))
  }
  return changes
}

const STATION_CODES: ReadonlySet<string> = new Set(
  Object.values<AlarmType>(DATA_ALARMS).map(({ code }) => code),
)

function isDeclared(catalogue: Catalogue, { source, typeCode }: OpenAlarm): boolean {
  if (STATION_CODES.has(typeCode)) return catalogue.stations.has(Number(source))
  const device = catalogue.devices.get(source)
  if (device === undefined) return false
  const { silence, error } = DEVICE_ALARMS[device.deviceKind]
  return typeCode === silence.code || typeCode === error.code
}
