import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { Child } from '../_child.ts'
import { connectRaw } from './_raw.ts'
import { makeDataFolder, TOKEN } from './_site.ts'

export const YEAR = 525_600
export const FROM = Date.UTC(2024, 0, 1)
export const YEAR_PATH = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&startTime=2024-01-01+00:00:00&endTime=2025-01-01+00:00:00`

/** A data folder with a record for each minute of a year. */
export const makeYear = () =>
  makeDataFolder(async (storage) => {
    for (let at = 0; at < YEAR; at += 20_000) {
      const count = Math.min(20_000, YEAR - at)
      const times = Array.from({ length: count }, (_, minute) => FROM + (at + minute) * 60_000)
      const records = times.map((time) => {
        const text = new Date(time).toISOString()
        return `{"v":${(time % 9973) / 7},"time":"${text.slice(0, 10)} ${text.slice(11, 19)}"}`
      })
      await storage.records.write({ theme: { sources: times.map(() => 1), times, records } })
    }
  })

/** Requests a year and reads nothing of the response. */
export const stall = async (child: Child, at: number): Promise<TLSSocket> => {
  const socket = await connectRaw(child)
  socket.pause()
  const encoding = at % 2 === 0 ? 'gzip' : 'identity'
  socket.write(
    `GET ${YEAR_PATH} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\n\r\n`,
  )
  return socket
}

/** Connections that send a text and take nothing of what it asks for, until the test ends. */
export async function stallAll(
  child: Child,
  count: number,
  text: string,
  t: TestContext,
): Promise<void> {
  const sockets: TLSSocket[] = []
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  for (let at = 0; at < count; at++) {
    const socket = await connectRaw(child)
    socket.pause()
    socket.write(text)
    sockets.push(socket)
  }
}
