import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'

test('the policy of the console lets in the tile server that is named, and nobody else', async () => {
  const url = 'https://tiles.example:8443/map/{z}/{x}/{y}.png?key=1&v=2'
  const settings = { 'console.tiles': url, 'console.tilesAttribution': '© "Map" <b>' }
  await using named = await withService({ site: SITE, settings })
  await using none = await withService({ site: SITE })

  const [with_, without] = await Promise.all([named.call('/console/'), none.call('/console/')])

  assert.match(
    String(with_.headers['content-security-policy']),
    /data: https:\/\/tiles.example:8443;/,
  )
  assert.match(String(without.headers['content-security-policy']), /img-src 'self' blob: data:;/)
  assert.doesNotMatch(with_.text, /<b>/)
  assert.doesNotMatch(without.text, /plumbline-tiles/)
})

test('a setting that is no address of tiles is refused', async () => {
  for (const url of [
    'http://tiles.example/{z}/{x}/{y}',
    'https://t.example/{z}',
    'https://a/{z}/{x}/{y};script-src *',
  ])
    await assert.rejects(
      withService({ site: SITE, settings: { 'console.tiles': url } }),
      /tiles must be an https URL/,
    )
})
