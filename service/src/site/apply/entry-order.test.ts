import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CameraEntry, SiteEntry } from '../../domain/site/site-entry.ts'
import { hasNewOrder } from './entry-order.ts'

const camera = (id: number, structure: number): CameraEntry => ({
  kind: 'camera',
  id,
  structure,
  location: '',
  serialNo: `C${id}`,
  channelNo: 1,
  hasPTZ: false,
  type: '',
  source: 'rtsp://192.0.2.10/1',
})
const project = (id: number): SiteEntry => ({ kind: 'project', id, name: '' })

test('entries of structures that are stored among each other have no new order', () => {
  const stored = [camera(1, 1), camera(3, 2), camera(2, 1), camera(4, 2)]

  assert.equal(hasNewOrder(stored, [1, 2].map((id) => camera(id, 1)).concat(camera(3, 2))), false)
  assert.equal(hasNewOrder(stored, [camera(2, 1), camera(1, 1), camera(3, 2)]), true)
})

test('entries of no structure are compared with those of their kind', () => {
  const stored = [project(1), camera(1, 1), project(2)]

  assert.equal(hasNewOrder(stored, [camera(1, 1), project(1), project(2)]), false)
  assert.equal(hasNewOrder(stored, [project(2), project(1), camera(1, 1)]), true)
})
