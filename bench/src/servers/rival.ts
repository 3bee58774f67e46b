import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TopicSettings } from '../../../service/src/config/mqtt-settings.ts'
import { nextMessage } from '../messages.ts'
import { keep, pidOf, serverOf, stop, type Server } from './child.ts'

/** The settings that a rival gets when it starts. */
export type RivalSettings = {
  tls: { cert: string; key: string }
  /** The bytes that the bare server sends, by path. */
  responses?: ReadonlyMap<string, Uint8Array>
  /** The same as it goes to clients that take gzip; left out: it compresses them itself. */
  compressed?: ReadonlyMap<string, Uint8Array>
  /** The address of the database that the hand-written server reads, and the token it knows. */
  database?: string
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
  const say = (message: object): Promise<Progress> => {
    child.send(message)
    return nextMessage(child)
  }
  await say(settings)
  return { pid: pidOf(child), ask: () => say({}), [Symbol.asyncDispose]: () => stop(child) }
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
  const end = new AbortController()
  child.once('exit', () => end.abort(new Error(`the rival ${name} ended before it listened`)))
  return serverOf(child, await nextMessage<number>(child, { signal: end.signal }))
}
