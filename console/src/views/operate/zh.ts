import type { Texts } from '../../texts/shape.ts'
import { zh as applications } from './applications/zh.ts'
import type { en } from './en.ts'
import { zh as imports } from './imports/zh.ts'
import { zh as intake } from './intake/zh.ts'
import { zh as maintenance } from './maintenance/zh.ts'
import { zh as notifications } from './notifications/zh.ts'
import { zh as rejects } from './rejects/zh.ts'
import { zh as site } from './site/zh.ts'
import { zh as status } from './status/zh.ts'

export const zh: Texts<typeof en> = {
  title: '运维',
  zone: (zone) => `时间按 ${zone} 时区显示`,
  parts: {
    status: '运行状态',
    intake: '数据源',
    rejects: '拒收记录',
    imports: '数据导入',
    notifications: '通知',
    maintenance: '维护时段',
    site: '站点文件',
    applications: '应用',
    keys: '接入密钥',
  },
  older: '显示更早的',
  applications,
  imports,
  intake,
  maintenance,
  notifications,
  rejects,
  site,
  status,
}
