import { zh as overview } from '../views/overview/zh.ts'
import { zh as structure } from '../views/structure/zh.ts'
import { zh as station } from '../views/station/zh.ts'
import { zh as vibration } from '../views/vibration/zh.ts'
import { zh as traffic } from '../views/traffic/zh.ts'
import { zh as alarms } from '../views/alarms/zh.ts'
import { zh as thresholds } from '../views/thresholds/zh.ts'
import { zh as cameras } from '../views/cameras/zh.ts'
import { zh as operate } from '../views/operate/zh.ts'
import { zh as accounts } from '../views/accounts/zh.ts'
import { zh as account } from '../views/account/zh.ts'
import { zh as signin } from '../views/signin/zh.ts'
import { zh as common } from './common.zh.ts'
import type { en } from './en.ts'
import type { Texts } from './shape.ts'

/** All texts of the console. Each view has its part beside it. */
export const zh: Texts<typeof en> = {
  common,
  overview,
  structure,
  station,
  vibration,
  traffic,
  alarms,
  thresholds,
  cameras,
  operate,
  accounts,
  account,
  signin,
}
