/** The load process: runs one job at a time, when its parent says so. */
import type { FromLoad, ToLoad } from './job.ts'
import { sendToParent } from '../messages.ts'
import { prepare } from './run-job.ts'

type Prepared = Awaited<ReturnType<typeof prepare>>

const say = (message: FromLoad): void => sendToParent(message)
let prepared: Prepared | undefined
let isStalling = false

process.on('disconnect', () => process.exit())
process.on('message', async (message: ToLoad) => {
  if (message.kind === 'connect') {
    isStalling = message.job.stalls === true
    prepared = await prepare(message.job, (error) => {
      throw error
    })
    say({ kind: 'connected' })
  } else if (message.kind === 'go') {
    if (prepared === undefined) throw new Error('go comes before connect')
    if (isStalling) prepared.stall()
    else say({ kind: 'done', load: await prepared.run() })
  } else {
    prepared?.close()
    prepared = undefined
  }
})
