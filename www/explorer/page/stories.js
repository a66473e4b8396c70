import s01 from '../stories/01-dead-endpoint-2007.json';
import s02 from '../stories/02-dead-endpoint-with-the-schedule.json';
import s03 from '../stories/03-rolling-restart.json';
import s04 from '../stories/04-one-gateway-hangs.json';
import s05 from '../stories/05-cluster-down-for-two-minutes.json';
import s06 from '../stories/06-laptop-asleep-for-an-hour.json';
import s07 from '../stories/07-token-expired.json';
import s08 from '../stories/08-write-lost-in-flight.json';
import s09 from '../stories/09-cluster-busy.json';
import s10 from '../stories/10-thundering-herd.json';

export const STORIES = [s01, s02, s03, s04, s05, s06, s07, s08, s09, s10];
