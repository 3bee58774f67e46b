import { deliveryStore } from './deliveries.ts'
import type { SqlEngine } from './engine.ts'
import { noticeStore } from './notices.ts'
import type { TellingStore } from '../storage.ts'

export const tellingStore = (engine: SqlEngine): TellingStore => ({
  ...noticeStore(engine),
  ...deliveryStore(engine),
})
