import { deliveryStore } from './deliveries.ts'
import type { SqlEngine } from './engine.ts'
import { noticeStore } from './notices.ts'
import type { NotificationStore } from '../storage.ts'

export const notificationStore = (engine: SqlEngine): NotificationStore => ({
  ...noticeStore(engine),
  ...deliveryStore(engine),
})
