import { totalmem } from 'node:os'
import type { Config, SettingName } from '../config/settings.ts'

const MEGABYTE = 2 ** 20

/** Shares of the memory: what Node takes of a control group by itself is too much of a small one. */
const SMALL_MEGABYTES = 1024
const SMALL_HEAP = { most: 0.375, advised: 0.3125 }
const LARGE_HEAP = { most: 0.6, advised: 0.5 }

/** An analysis takes so many bytes for each sample, and two may run: one of them tracks frequencies. */
const ANALYSIS_BYTES = 300

/** The most that each setting may take of a small memory. The rest is for the program, its heap and SQLite. */
const SHARES = {
  'storage.openDayCacheMegabytes': (megabytes) => megabytes / 16,
  'vibration.cacheMegabytes': (megabytes) => megabytes / 16,
  'http.bodyBudgetMegabytes': (megabytes) => megabytes / 32,
  'http.maxBodyMegabytes': (megabytes) => megabytes / 32,
  'ingest.broker.maxWaitingMegabytes': (megabytes) => megabytes / 32,
  'vibration.maxAnalysisSamples': (megabytes) => (megabytes * MEGABYTE) / 8 / ANALYSIS_BYTES,
} as const satisfies Partial<Record<SettingName, (megabytes: number) => number>>

type Fitted = keyof typeof SHARES

/** The memory that the service may take, in megabytes; undefined without a limit. */
export function memoryLimit(
  setting: number,
  constrained = process.constrainedMemory(),
): number | undefined {
  // Without a control group Node names more than the machine has.
  const isLimited = constrained > 0 && constrained < totalmem()
  const group = isLimited ? constrained / MEGABYTE : undefined
  return setting === 0 ? group : Math.min(setting, group ?? setting)
}

/** A sentence where Node's heap leaves too little to the rest: it is set at the start of a process only. */
export function describeHeap(
  setting: number,
  heapBytes: number,
  constrained?: number,
): string | undefined {
  const megabytes = memoryLimit(setting, constrained)
  if (megabytes === undefined) return undefined
  const { most, advised } = megabytes < SMALL_MEGABYTES ? SMALL_HEAP : LARGE_HEAP
  if (heapBytes <= megabytes * MEGABYTE * most) return undefined
  return `The heap of Node may grow to ${Math.floor(heapBytes / MEGABYTE)} of ${Math.floor(megabytes)} MB of memory: start the service with NODE_OPTIONS=--max-old-space-size=${Math.floor(megabytes * advised)} and MALLOC_ARENA_MAX=2 in its environment.`
}

/** The settings with which the service fits into its memory, and a sentence about each that is lowered. */
export function fitMemory(
  config: Config,
  constrained?: number,
): { config: Config; lowered: string[] } {
  const megabytes = memoryLimit(config['memory.megabytes'], constrained)
  if (megabytes === undefined) return { config, lowered: [] }
  const changes = (Object.keys(SHARES) as Fitted[]).flatMap((name) => {
    const most = Math.floor(SHARES[name](megabytes))
    return config[name] > most ? [[name, most] as const] : []
  })
  return {
    config: { ...config, ...Object.fromEntries(changes) },
    lowered: changes.map(
      ([name, most]) =>
        `${name} is ${most} instead of ${config[name]}, because the service has ${Math.floor(megabytes)} MB of memory.`,
    ),
  }
}
