import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TopicSettings } from '../../../service/src/config/mqtt-settings.ts'
import { keep, stop, type Server } from './child.ts'

/** What a rival is told when it starts. */
export type RivalSettings = {
  tls: { cert: string; key: string }
  /** The bytes that the bare server sends, by the path that is asked for. */
  responses?: ReadonlyMap<string, Uint8Array>
  /** The same as it goes to clients that take gzip; left out: it compresses them itself. */
  compressed?: ReadonlyMap<string, Uint8Array>
  /** The database file that the hand-written server reads, and the token it knows. */
  file?: string
  token?: string
}

/** Where the rival that only acknowledges gets its messages from. */
export type AcknowledgerSettings = {
  url: string
  clientId: string
  sharedGroup: string
  connections: number
  subscriptions: readonly TopicSettings[]
}

/** What it has acknowledged, and how long it took from the first message to the last. */
export type Progress = { messages: number; milliseconds: number; connected: number }

/** Starts `rivals/acknowledge.ts`. */
export async function startAcknowledger(
  settings: AcknowledgerSettings,
): Promise<AsyncDisposable & { readonly pid: number; ask(): Promise<Progress> }> {
  const program = fileURLToPath(new URL('../rivals/acknowledge.ts', import.meta.url))
  const child = fork(program, { serialization: 'advanced', stdio: 'inherit' })
  keep(child)
  const say = async (message: object): Promise<Progress> => {
    child.send(message)
    const [progress] = (await once(child, 'message')) as [Progress]
    return progress
  }
  await say(settings)
  return { pid: child.pid!, ask: () => say({}), [Symbol.asyncDispose]: () => stop(child) }
}

/** Starts `rivals/<name>.ts` in a process of its own. */
export async function startRival(
  name: 'bare' | 'express',
  settings: RivalSettings,
): Promise<Server> {
  const program = fileURLToPath(new URL(`../rivals/${name}.ts`, import.meta.url))
  const child = fork(program, { serialization: 'advanced', stdio: 'inherit' })
  keep(child)
  child.send(settings)
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the rival ${name} ended before it listened`)
  })
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  ended.catch(() => {})
  return { pid: child.pid!, port, [Symbol.asyncDispose]: () => stop(child) }
}
