import { RefusedError } from '../errors/refused-error.ts'
import { describeError, SendError, type Channel } from './channel.ts'

/** Sends a test message without the outbox; returns the result as a sentence. */
export async function sendTest(
  channels: ReadonlyMap<string, Channel>,
  options: { name: string; id: string; signal: AbortSignal },
): Promise<{ delivered: boolean; message: string }> {
  const { name, id, signal } = options
  const channel = channels.get(name)
  if (channel === undefined) {
    const known = [...channels.keys()].join(', ') || 'none'
    throw new RefusedError('absent', `There is no channel of this name; configured: ${known}.`)
  }
  try {
    const note = await channel.send({ id, kind: 'test', channel: name }, signal)
    const but = note === undefined ? '' : `, but ${note}`
    return { delivered: true, message: `The test message was delivered${but}.` }
  } catch (error) {
    const sentence =
      error instanceof SendError ? error.message : `it failed: ${describeError(error)}`
    return { delivered: false, message: `The test message was not delivered: ${sentence}.` }
  }
}
