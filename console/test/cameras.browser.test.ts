import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Camera, CameraPreset } from '../../client/src/index.ts'
import { needCommand } from '../../service/test/_debian.ts'
import { useConsole } from './_console.ts'

before(() => needCommand('ffmpeg', 'ffmpeg'))
const getConsole = useConsole()
const GRID = '/structures/103/cameras'
const NAME = 'Test picture, no real camera'
const CAMERA: Camera = {
  id: 1,
  location: NAME,
  serialNo: 'EXAMPLE-1',
  channelNo: 1,
  hasPTZ: true,
  type: 'dome',
  IPCstructure: 103,
}

test('a grid shows what each camera sees, and plays it', async () => {
  const console = getConsole()
  const page = await console.page({ address: GRID })

  await page.getByRole('img', { name: `Still picture of ${NAME}` }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'cameras-en')
  await page.getByRole('button', { name: `Play ${NAME}` }).click()
  await page.getByText('Live', { exact: true }).waitFor()

  assert.ok(await page.evaluate(`document.querySelector('video').videoWidth > 0`))
})

test('a camera is opened large, with its quality in the address, and gives a snapshot', async () => {
  const console = getConsole()
  const page = await console.page({ address: GRID, language: 'zh', theme: 'dark' })

  await page.getByRole('button', { name: NAME, exact: true }).click()
  await page.getByText('实时', { exact: true }).waitFor()
  await page.getByLabel('清晰度').selectOption('h')
  await page.waitForURL(/camera=1&quality=h/)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '保存抓拍' }).click(),
  ])

  assert.match(download.suggestedFilename(), /^Test picture, no real camera .*\.jpg$/)
  await page.getByText('实时', { exact: true }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'camera-zh-dark')
})

test('an operator holds a button to move a camera, which stops when it is let go', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'operator', size: 'phone' })
  const sent = await turnable(page)
  await page.goto(`${console.origin}/console/#${GRID}?camera=1`)

  await page.getByRole('button', { name: 'Turn left' }).dispatchEvent('pointerdown', {
    button: 0,
    pointerId: 1,
  })
  await page.waitForTimeout(900)
  await page.getByRole('button', { name: 'Turn left' }).dispatchEvent('pointerup', { pointerId: 1 })
  await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
  await page.waitForTimeout(200)

  const left = { path: 'move', body: { pan: -0.5, tilt: 0, zoom: 0, seconds: 1 } }
  const closer = { path: 'move', body: { pan: 0, tilt: 0, zoom: 0.5, seconds: 0.5 } }
  assert.deepEqual(sent, [left, left, { path: 'stop', body: {} }, closer])
  await console.check(page)
  await page.getByRole('heading', { name: 'Movement' }).scrollIntoViewIfNeeded()
  await console.screenshot(page, 'camera-ptz-en-phone')
})

test('presets are saved, gone to and deleted; a missing name is said beside its field', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'operator' })
  const sent = await turnable(page)
  await page.goto(`${console.origin}/console/#${GRID}?camera=1`)

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Enter a value.').waitFor()
  await page.getByLabel('Name of the present position').fill('West bearing')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Go to West bearing' }).click()
  await page.getByText('The camera moves to West bearing.').waitFor()
  await console.check(page)
  await console.screenshot(page, 'camera-presets-en')
  await page.getByRole('button', { name: 'Delete West bearing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Preset West bearing was deleted.').waitFor()

  assert.deepEqual(
    sent.map(({ path }) => path),
    ['presets', 'presets/2/goto', 'presets/2'],
  )
})

test('a viewer sees a camera, and nothing to move it', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'viewer' })
  await turnable(page)
  await page.goto(`${console.origin}/console/#${GRID}?camera=1`)

  await page.getByText('Live', { exact: true }).waitFor()

  assert.equal(await page.getByRole('heading', { name: /Movement|Presets/ }).count(), 0)
})

type Sent = { path: string; body: unknown }

/** Makes the camera of the demo site one that turns, and keeps what is sent to it. */
async function turnable(page: Page): Promise<Sent[]> {
  const sent: Sent[] = []
  const presets: CameraPreset[] = [{ token: '1', name: 'East bearing' }]
  await page.route('**/user/camera/list', (route) => route.fulfill({ json: [CAMERA] }))
  await page.route('**/cameras/1/ptz/**', (route) => {
    const request = route.request()
    const path = new URL(request.url()).pathname.split('/ptz/')[1]!
    if (request.method() === 'GET') return route.fulfill({ json: presets })
    sent.push({ path, body: request.postDataJSON() })
    if (request.method() === 'DELETE') presets.pop()
    else if (path === 'presets') {
      presets.push({ token: '2', name: request.postDataJSON().name })
      return route.fulfill({ json: presets.at(-1) })
    }
    const isEmpty = request.method() === 'DELETE' || path === 'stop'
    return isEmpty ? route.fulfill({ status: 204 }) : route.fulfill({ json: { state: 'moving' } })
  })
  return sent
}
