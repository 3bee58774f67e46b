import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startChild } from '../../service/test/_child.ts'
import { needCommand } from '../../service/test/_debian.ts'
import { eventually } from '../../service/test/_eventually.ts'
import { callHttps, freePort } from '../../service/test/_service.ts'
import { ROOT } from './_build.ts'

const run = promisify(execFile)

test('nginx takes its example, checks the certificate of the service, and passes requests on', async () => {
  await needCommand('nginx', 'nginx-light')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-nginx-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const child = stack.use(
    await startChild(join(folder, 'data'), { PLUMBLINE_HTTP_TRUSTED_PROXIES: '127.0.0.1' }),
  )
  const port = await freePort()
  // The certificate of the service stands for the one that clients see too.
  const tls = join(folder, 'data/tls')
  const site = (await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8'))
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('  listen [::]:443 ssl;\n', '')
    .replace('/etc/nginx/shm.example.crt', `${tls}/certificate.pem`)
    .replace('/etc/nginx/shm.example.key', `${tls}/key.pem`)
    .replace('/etc/nginx/plumbline.pem', `${tls}/certificate.pem`)
    .replace('https://127.0.0.1:8443', child.origin.replace('localhost', '127.0.0.1'))
  await mkdir(join(folder, 'temp'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths}\n${site} }\n`,
  )
  const flags = ['-e', 'stderr', '-c', file]

  await run('nginx', ['-t', ...flags])
  const nginx = spawn('nginx', [...flags, '-g', 'daemon off;'], { stdio: 'ignore' })
  const exit = once(nginx, 'exit')
  stack.defer(async () => {
    nginx.kill()
    await exit
  })
  const response = await eventually(() =>
    callHttps(`https://localhost:${port}/api/v1/structures`, child.certificate, {}),
  )

  assert.equal(response.status, 401)
  assert.match(response.text, /"name"/)
})
