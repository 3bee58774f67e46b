import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { keep, serverOf, type Server } from './child.ts'

/** Starts Debian's Mosquitto on a loopback port; its memory is not written down. */
export async function startMosquitto(folder: string, port: number): Promise<Server> {
  const file = join(folder, 'mosquitto.conf')
  const settings = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'max_queued_messages 0',
    'max_inflight_messages 500',
  ]
  await writeFile(file, `${settings.join('\n')}\n`)
  const child = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
  keep(child)
  while (!(await responses(port))) {
    if (child.exitCode !== null) throw new Error('mosquitto does not start; is it installed?')
    await wait(20)
  }
  return serverOf(child, port)
}

const responses = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
