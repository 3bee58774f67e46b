/** What the load process is asked to do. */
export type Job = {
  port: number
  ca: string
  connections: number
  /** Whole requests, head and body, each sent by whichever connection is free. */
  requests: readonly Uint8Array[]
  /** How long the requests are repeated; left out: each is sent once. */
  milliseconds?: number
  /** The interval between requests, whether answered or not; left out: each follows a response. */
  everyMilliseconds?: number
  /** Sends the first request on every connection and reads nothing until `finish`. */
  stalls?: boolean
  /** What every answer's body must be. */
  expectedBody?: string
}

export type Load = {
  responses: number
  bytes: number
  /** From the first request sent to the last answer read. */
  milliseconds: number
  /** The first answer that was not 200, or not the expected body. */
  wrong: string | undefined
  /** The load process's own processor time: near `milliseconds`, it is what limits. */
  cpuMilliseconds: number
  firstByte: Times
  /** From the request sent, or where every connection was still waiting, from when it was due. */
  response: Times
}

export type Times = { median: number; p99: number; greatest: number }

export type ToLoad = { kind: 'connect'; job: Job } | { kind: 'go' } | { kind: 'finish' }
export type FromLoad = { kind: 'connected' } | { kind: 'done'; load: Load }
