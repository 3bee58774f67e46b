import { applyEvent, type AlarmEvent } from '../domain/alarms/alarm-lifecycle.ts'
import { isOpen } from '../domain/alarms/alarm-state.ts'
import { DATA_ALARMS, DEVICE_ALARMS, type AlarmType } from '../domain/alarms/alarm-types.ts'
import { evaluateDevices } from '../domain/alarms/offline-detection.ts'
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
  const { commits, storage, catalogue } = options
  const horizon = commits.horizon()
  const signs = await readSigns(storage, catalogue, { now: options.now, horizon })
  return commits.change(async (states) => {
    const changes: AlarmChange[] = []
    const byStructure = Map.groupBy(catalogue.devices.values(), ({ structure }) => structure)
    for (const [id, devices] of byStructure) {
      const structure = catalogue.structures.get(id)
      if (structure === undefined) continue
      const transitions = evaluateDevices(
        devices,
        (device) => signs.get(device),
        (device, cause) => {
          const { deviceKind } = catalogue.devices.get(device) ?? {}
          if (deviceKind === undefined) return false
          const { code } = DEVICE_ALARMS[deviceKind][cause]
          const state = states.of(device).alarmStates.get(code)
          return state !== undefined && isOpen(state)
        },
        options.now,
        {
          offlineAfter: alarmSettings(structure).offlineAfter,
          listeningSince: options.listeningSince,
        },
      )
      for (const { change, device, type, content } of transitions) {
        const { name = device } = catalogue.devices.get(device) ?? {}
        const source = { id: device, name }
        const about = { structure: id, zone: structure.zone, source, type }
        const event = eventOf(change, structure, content, options.now)
        changes.push(...applyTo(states, event, about, horizon))
      }
    }
    changes.push(...(await endOrphans(options, states, horizon)))
    return { changes, result: { changes: changes.length } }
  })
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
  states: AlarmStates,
  horizon: number,
): Promise<AlarmChange[]> {
  const changes: AlarmChange[] = []
  for (const { source, alarmStates } of states.all())
    for (const [typeCode, state] of alarmStates) {
      if (!isOpen(state) || isDeclared(catalogue, source, typeCode)) continue
      const alarm = await storage.alarms.findOpen(source, typeCode)
      if (alarm === undefined) continue
      const { structure, category, sourceType } = alarm
      const what = STATION_CODES.has(typeCode) ? 'station' : 'device'
      const content = `the ${what} is no longer declared`
      // The times of records may be ahead of the clock, up to the horizon.
      const last = Math.max(state.violationAt, (state.normalAt ?? 0) + 1)
      const time = last > horizon ? now : Math.max(now, last)
      changes.push(
        ...applyTo(
          states,
          { kind: 'normal', time, newest: null, content },
          {
            structure,
            zone: catalogue.structures.get(structure)?.zone ?? zoneOf('UTC'),
            source: alarm.source,
            type: { code: typeCode, category, sourceType },
          },
          horizon,
        ),
      )
    }
  return changes
}

const STATION_CODES: ReadonlySet<string> = new Set(
  Object.values<AlarmType>(DATA_ALARMS).map(({ code }) => code),
)

function isDeclared(catalogue: Catalogue, source: string, typeCode: string): boolean {
  if (STATION_CODES.has(typeCode)) return catalogue.stations.has(Number(source))
  const device = catalogue.devices.get(source)
  if (device === undefined) return false
  const { silence, error } = DEVICE_ALARMS[device.deviceKind]
  return typeCode === silence.code || typeCode === error.code
}
