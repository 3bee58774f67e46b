import type { Aedes, AuthenticateError, Client } from 'aedes'
import type { Logger } from 'pino'
import type { AccessControl } from '../../domain/access/access-control.ts'
import { keySession } from '../../domain/access/key-session.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { IngestKey, IngestKeyStore } from '../../storage/storage.ts'
import type { Admitted } from './admission.ts'
import type { GatedConnection } from './gated-connection.ts'

export type SessionOptions = {
  keys: Pick<IngestKeyStore, 'find'>
  access: AccessControl
  log: Logger
}

/** What MQTT 3.1.1 answers to CONNECT. */
const SERVER_UNAVAILABLE = 3
const BAD_CREDENTIALS = 4

type Entered = {
  connection: GatedConnection
  admitted: Admitted
}

/** Lets clients in with an ingest key as their password, for as long as the key is in use. */
export class Sessions {
  readonly #options: SessionOptions
  readonly #entered = new WeakMap<Client, Entered>()
  readonly #ended = new WeakSet<Client>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Of a client that has not logged in yet: its connection, and where it comes from. */
  enter(client: Client, entered: Entered): void {
    this.#entered.set(client, entered)
  }

  /** Whether the key of a client was revoked meanwhile: not even its will counts. */
  hasEnded(client: Client): boolean {
    return this.#ended.has(client)
  }

  /** Lets in what a client sends after its log-in. */
  admit(client: Client): void {
    const entered = this.#entered.get(client)
    entered?.admitted.loggedIn()
    entered?.connection.admit()
  }

  connectionOf(client: Client): GatedConnection | undefined {
    return this.#entered.get(client)?.connection
  }

  readonly authenticate: Aedes['authenticate'] = (client, _username, password, done) => {
    const hash = hashSecret(password?.toString() ?? '')
    this.#logIn(client, hash).then(
      (isIn) => {
        if (isIn) done(null, true)
        else done(refusal(BAD_CREDENTIALS, 'the password is no ingest key in use'), null)
      },
      (error: Error) => {
        this.#options.log.warn(`broker: nobody can be let in: ${error.message}`)
        done(refusal(SERVER_UNAVAILABLE, 'the service cannot look up keys'), null)
      },
    )
  }

  async #logIn(client: Client, hash: Uint8Array): Promise<boolean> {
    const { keys, access } = this.#options
    const entered = this.#entered.get(client)!
    const key = await keys.find(hash)
    if (key !== undefined) {
      this.#begin(client, entered, key, hash)
      return true
    }
    const { from } = entered.admitted
    access.security.record('security.mqtt-log-in-failed', { from })
    const seconds = await access.attempts.fail(from)
    if (seconds > 0) access.security.record('security.throttled', { from, secret: 'mqtt' })
    return false
  }

  #begin(
    client: Client,
    { connection, admitted: { from } }: Entered,
    { id, name }: IngestKey,
    hash: Uint8Array,
  ): void {
    if (connection.destroyed) return
    // A client id ends and goes on with a former session of the same key only.
    client.id = `${id}/${client.id}`
    const { keys, access } = this.#options
    access.security.record('security.mqtt-log-in', { from, key: name })
    const end = (reason: string): void => {
      this.#ended.add(client)
      access.security.record('security.session-ended', { from, key: name, reason })
      connection.destroy()
    }
    const stop = access.revocations.open(hash, { ...keySession(keys, hash), end })
    connection.once('close', () => {
      stop()
      access.security.record('security.mqtt-log-out', { from, key: name })
    })
  }
}

const refusal = (returnCode: number, message: string): AuthenticateError =>
  Object.assign(new Error(message), { returnCode }) as AuthenticateError
