import { en as overview } from '../views/overview/en.ts'
import { en as structure } from '../views/structure/en.ts'
import { en as station } from '../views/station/en.ts'
import { en as vibration } from '../views/vibration/en.ts'
import { en as traffic } from '../views/traffic/en.ts'
import { en as alarms } from '../views/alarms/en.ts'
import { en as thresholds } from '../views/thresholds/en.ts'
import { en as cameras } from '../views/cameras/en.ts'
import { en as operate } from '../views/operate/en.ts'
import { en as accounts } from '../views/accounts/en.ts'
import { en as account } from '../views/account/en.ts'
import { en as signin } from '../views/signin/en.ts'
import { en as common } from './common.en.ts'

/** All texts of the console. Each view has its part beside it. */
export const en = {
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
