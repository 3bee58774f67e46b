import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild, type Child } from '../../service/test/_child.ts'
import { PROGRAM } from '../../service/test/_program.ts'
import { run } from './_package.ts'

export type Demo = AsyncDisposable & { service: Child; environment: NodeJS.ProcessEnv }

/** The service with the demo site, and what programs that call it need. */
export async function startDemo(folder: string): Promise<Demo> {
  const command = (...args: string[]) =>
    run(process.execPath, [PROGRAM, ...args, '--data', folder], {
      cwd: folder,
    })
  await command('demo')
  const { application } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))
  const { key } = JSON.parse(await command('key', 'create', '--name', 'readme', '--json'))
  const service = await startChild(folder)
  return {
    service,
    environment: {
      APP_ID: application.appId,
      APP_SECRET: application.appSecret,
      INGEST_KEY: key,
      NODE_EXTRA_CA_CERTS: join(folder, 'tls/certificate.pem'),
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
