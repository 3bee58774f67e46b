import { sayBy, type Phrase } from './phrases.ts'

/** What a person can meet in the console; the rest is about files and programs. */
export const ERRORS: readonly Phrase[] = [
  [/^there is no alarm (\S+)\.$/i, '没有告警 $1。'],
  [/^there is no account (\S+)\.$/i, '没有账户 $1。'],
  [/^there is no active application (\S+)\.$/i, '没有启用的应用 $1。'],
  [/^there is no active key of this name\.$/i, '没有该名称的有效密钥。'],
  [/^there is no camera (\S+)\.$/i, '没有摄像头 $1。'],
  [/^there is no change (\d+); .*$/is, '没有数据变更 $1。'],
  [/^there is no factor (\S+)\.$/i, '没有监测因素 $1。'],
  [/^there is no import (\S+)\.$/i, '没有导入任务 $1。'],
  [/^there is no open maintenance window (\S+)\.$/i, '没有进行中的维护时段 $1。'],
  [/^there is no reject (\S+)\.$/i, '没有拒收记录 $1。'],
  [/^there is no sensor (?:or other device )?(\S+)\.$/i, '没有传感器或设备 $1。'],
  [/^there is no station (\S+)\.$/i, '没有测点 $1。'],
  [/^there is no structure (\S+)\.$/i, '没有结构物 $1。'],
  [/^there is no structure (\S+) with a factor (\S+)\.$/i, '结构物 $1 没有监测因素 $2。'],
  [/^there is no user ([^\s;]+)(?:;.*)?\.$/i, '站点文件中没有用户 $1。'],
  [/^the site has no user (\S+?)\.?$/i, '站点文件中没有用户 $1。'],
  [/^the camera did not respond within (\d+) seconds\.$/i, '摄像头在 $1 秒内没有响应。'],
  [/^the connection to the camera broke\.$/i, '与摄像头的连接中断。'],
  [/^the camera sent nothing\.$/i, '摄像头没有发送任何内容。'],
  [/^the camera refused the user name or the password\.$/i, '摄像头拒绝了用户名或密码。'],
  [/^the camera asks for a user name and a password\.$/i, '摄像头要求用户名和密码。'],
  [/^the name of the camera cannot be resolved\.$/i, '无法解析摄像头的主机名。'],
  [
    /^the address of the camera is not in cameras\.hosts\.$/i,
    '摄像头的地址不在 cameras.hosts 中。',
  ],
  [/^the camera offers no video\.$/i, '摄像头不提供视频。'],
  [/^ffmpeg is not installed: .+$/i, '服务器上没有安装 ffmpeg，无法播放摄像头。'],
  [
    /^(\d+) streams play already, as many as cameras\.maxStreams allows\.$/i,
    '已有 $1 路视频在播放，达到 cameras.maxStreams 的上限。',
  ],
  [/^station (\S+) has no record at that time\.$/i, '测点 $1 在该时刻没有记录。'],
  [/^station (\S+) has no vibration batch.*\.$/i, '测点 $1 没有该振动批次。'],
  [
    /^structure (\S+) has no threshold batch (\S+) of factor (\S+)\.$/i,
    '结构物 $1 的监测因素 $3 没有阈值批次 $2。',
  ],
  [/^you do not have access to .+$/i, '您无权访问该内容。'],
  [
    /^only users with access to all structures can use .+$/i,
    '只有可访问全部结构物的账户才能使用此功能。',
  ],
  [/^the name, the password or the code is wrong\.?$/i, '名称、密码或验证码有误。'],
  [/^the password is wrong\.?$/i, '密码有误。'],
  [/^the code is wrong: .+$/i, '验证码有误：请检查身份验证器和本服务的时钟。'],
  [/^no authenticator waits for its first code\.?$/i, '没有等待首个验证码的身份验证器。'],
  [/^the account has an authenticator: remove it first\.?$/i, '该账户已有身份验证器：请先移除。'],
  [/^too many people sign in at the moment\.$/i, '当前登录人数过多，请稍后再试。'],
  [
    /^a password has (\d+) to (\d+) characters, this one has (\d+)\.$/i,
    '密码应有 $1 至 $2 个字符，当前为 $3 个。',
  ],
  [/^the password contains the sign-in name: .+$/i, '密码包含登录名，请换一个。'],
  [/^the password is a common one: .+$/i, '该密码过于常见，请换一个。'],
  [
    /^the password is one word with digits or signs around it: .+$/i,
    '该密码只是一个单词加数字或符号，请换一个。',
  ],
  [
    /^the link was used or replaced meanwhile, or its name was taken\.?$/i,
    '该链接刚刚已被使用或替换，或该名称已被占用。',
  ],
  [/^the account has changed meanwhile\. sign in again\.?$/i, '账户刚刚发生变化，请重新登录。'],
  [
    /^the link is not valid: .+$/is,
    '该链接无效：已使用、已被替换，或已超过 72 小时。请向管理员索取新的链接。',
  ],
  [/^the display name is blank\.?$/i, '显示名称为空。'],
  [
    /^the display name has a control character or one that turns .+$/i,
    '显示名称含有控制字符或改变文字方向的字符，请删除。',
  ],
  [/^there is already an account (\S+?)\.?$/i, '账户 $1 已存在。'],
  [
    /^(\S+) is the last account that manages all accounts: .+$/i,
    '$1 是最后一个可管理全部账户的账户：请先创建另一个管理员。',
  ],
  [/^alarm (\d+) is closed already\.?$/i, '告警 $1 已关闭。'],
  [/^alarm (\d+) is not shelved\.?$/i, '告警 $1 未被搁置。'],
  [/^alarm (\d+) was opened by another writer\.?$/i, '告警 $1 刚刚发生变化，请重试。'],
  [/^change (\d+) was already undone, on (.+)\.$/i, '数据变更 $1 已于 $2 撤销。'],
  [/^import (\d+) has ended: .+$/i, '导入任务 $1 已结束。'],
  [/^the parameter "startTime" lies after "endTime"\.?$/i, '起始时间晚于结束时间。'],
  [/^"endsAt" must not be before "startsAt"\.$/i, '结束时间早于起始时间。'],
  [/^the body must be a JPEG, PNG or WebP picture\.?$/i, '文件应为 JPEG、PNG 或 WebP 图片。'],
  [/^station (\d+) is not of this structure\.?$/i, '测点 $1 不属于该结构物。'],
  [/^station (\d+) has two positions\.?$/i, '测点 $1 有两个位置。'],
  [/^the threshold batch (\S+) exists already\.?$/i, '阈值批次 $1 已存在。'],
  [
    /^the site has changed meanwhile: its version is (\d+), expected (\d+)\. .+$/is,
    '站点在此期间已更改：当前版本为 $1，预期为 $2。请重新比较文件与站点。',
  ],
  [
    /^the file no longer has (.+), which (?:has|have) stored records\. put .+$/i,
    '文件中不再包含 $1，它们有已存储的记录。请将其放回文件；如需连同记录一起移除，请勾选相应选项（--delete-records）。',
  ],
  [
    /^structure (\d+) has records in the local time of (\S+); its timeZone cannot become (\S+)\.$/i,
    '结构物 $1 的记录采用 $2 当地时间，其 timeZone 不能改为 $3。',
  ],
  [
    /^stored records get other keys or values, which is done while no service runs\. .+$/i,
    '需要改写已存储的记录，只能在服务停止时进行：请停止服务，并以 --convert 或 --rename 运行“plumbline site apply”。',
  ],
  [/^another process is changing the site\. try again\.$/i, '另一进程正在更改站点，请重试。'],
]

/** Behind what failed, and a colon, a 400 says why. */
const REASON = /^[A-Z][^:]{2,80}: (.+)$/s

/** Says in Chinese why the service refuses something; a sentence that is not known follows a lead. */
export function serviceErrorInChinese(message: string): string {
  const reason = REASON.exec(message)?.[1] ?? ''
  return sayBy(ERRORS, message) ?? sayBy(ERRORS, reason) ?? `服务的答复：${message}`
}
