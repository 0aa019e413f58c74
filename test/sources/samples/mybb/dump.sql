-- MySQL dump 10.13  Distrib 8.0.43, for Linux (x86_64)
--
-- Host: localhost    Database: legacy
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

--
-- Table structure for table `mybb_banned`
--

DROP TABLE IF EXISTS `mybb_banned`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mybb_banned` (
  `uid` int unsigned NOT NULL DEFAULT 0,
  `gid` int unsigned NOT NULL DEFAULT 0,
  `oldgroup` int unsigned NOT NULL DEFAULT 0,
  `oldadditionalgroups` varchar(255) NOT NULL DEFAULT '',
  `olddisplaygroup` int unsigned NOT NULL DEFAULT 0,
  `admin` int unsigned NOT NULL DEFAULT 0,
  `dateline` int unsigned NOT NULL DEFAULT 0,
  `bantime` varchar(255) NOT NULL DEFAULT '',
  `lifted` int unsigned NOT NULL DEFAULT 0,
  `reason` varchar(255) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mybb_banned` WRITE;
INSERT INTO `mybb_banned` VALUES (4,7,2,'',0,1,1600000000,'---',0,'spam'),(5,7,2,'',0,1,1600000000,'1-0-0',1600086400,''),(8,7,2,'',0,1,1600000000,'0-0-90',4700000000,'');
UNLOCK TABLES;

--
-- Table structure for table `mybb_usergroups`
--

DROP TABLE IF EXISTS `mybb_usergroups`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mybb_usergroups` (
  `gid` int unsigned NOT NULL DEFAULT 0,
  `type` int unsigned NOT NULL DEFAULT 0,
  `title` varchar(255) NOT NULL DEFAULT '',
  `description` varchar(255) NOT NULL DEFAULT '',
  `namestyle` varchar(255) NOT NULL DEFAULT '',
  `usertitle` varchar(255) NOT NULL DEFAULT '',
  `isbannedgroup` int unsigned NOT NULL DEFAULT 0,
  `canview` int unsigned NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mybb_usergroups` WRITE;
INSERT INTO `mybb_usergroups` VALUES (1,1,'Guests','','','',0,1),(2,1,'Registered','','','',0,1),(3,1,'Super Moderators','','','',0,1),(4,1,'Administrators','','','',0,1),(5,1,'Awaiting Activation','','','',0,1),(6,1,'Moderators','','','',0,1),(7,1,'Banned','','','',1,0),(9,1,'Spammers','','','',1,0);
UNLOCK TABLES;

--
-- Table structure for table `mybb_users`
--

DROP TABLE IF EXISTS `mybb_users`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mybb_users` (
  `uid` int unsigned NOT NULL DEFAULT 0,
  `username` varchar(255) NOT NULL DEFAULT '',
  `password` varchar(255) NOT NULL DEFAULT '',
  `salt` varchar(255) NOT NULL DEFAULT '',
  `loginkey` varchar(255) NOT NULL DEFAULT '',
  `email` varchar(255) NOT NULL DEFAULT '',
  `postnum` int unsigned NOT NULL DEFAULT 0,
  `threadnum` int unsigned NOT NULL DEFAULT 0,
  `avatar` varchar(255) NOT NULL DEFAULT '',
  `avatardimensions` varchar(255) NOT NULL DEFAULT '',
  `avatartype` varchar(255) NOT NULL DEFAULT '',
  `usergroup` int unsigned NOT NULL DEFAULT 0,
  `additionalgroups` varchar(255) NOT NULL DEFAULT '',
  `displaygroup` int unsigned NOT NULL DEFAULT 0,
  `usertitle` varchar(255) NOT NULL DEFAULT '',
  `regdate` int unsigned NOT NULL DEFAULT 0,
  `lastactive` int unsigned NOT NULL DEFAULT 0,
  `lastvisit` int unsigned NOT NULL DEFAULT 0,
  `lastpost` int unsigned NOT NULL DEFAULT 0,
  `website` varchar(255) NOT NULL DEFAULT '',
  `icq` varchar(255) NOT NULL DEFAULT '',
  `skype` varchar(255) NOT NULL DEFAULT '',
  `google` varchar(255) NOT NULL DEFAULT '',
  `birthday` varchar(255) NOT NULL DEFAULT '',
  `birthdayprivacy` varchar(255) NOT NULL DEFAULT '',
  `signature` varchar(255) NOT NULL DEFAULT '',
  `allownotices` varchar(255) NOT NULL DEFAULT '',
  `hideemail` varchar(255) NOT NULL DEFAULT '',
  `subscriptionmethod` varchar(255) NOT NULL DEFAULT '',
  `invisible` int unsigned NOT NULL DEFAULT 0,
  `receivepms` varchar(255) NOT NULL DEFAULT '',
  `receivefrombuddy` varchar(255) NOT NULL DEFAULT '',
  `pmnotice` varchar(255) NOT NULL DEFAULT '',
  `pmnotify` varchar(255) NOT NULL DEFAULT '',
  `buddyrequestspm` varchar(255) NOT NULL DEFAULT '',
  `buddyrequestsauto` varchar(255) NOT NULL DEFAULT '',
  `threadmode` varchar(255) NOT NULL DEFAULT '',
  `showimages` varchar(255) NOT NULL DEFAULT '',
  `showvideos` varchar(255) NOT NULL DEFAULT '',
  `showsigs` varchar(255) NOT NULL DEFAULT '',
  `showavatars` varchar(255) NOT NULL DEFAULT '',
  `showquickreply` varchar(255) NOT NULL DEFAULT '',
  `showredirect` varchar(255) NOT NULL DEFAULT '',
  `ppp` varchar(255) NOT NULL DEFAULT '',
  `tpp` varchar(255) NOT NULL DEFAULT '',
  `daysprune` varchar(255) NOT NULL DEFAULT '',
  `dateformat` varchar(255) NOT NULL DEFAULT '',
  `timeformat` varchar(255) NOT NULL DEFAULT '',
  `timezone` varchar(255) NOT NULL DEFAULT '',
  `dst` varchar(255) NOT NULL DEFAULT '',
  `dstcorrection` varchar(255) NOT NULL DEFAULT '',
  `buddylist` varchar(255) NOT NULL DEFAULT '',
  `ignorelist` varchar(255) NOT NULL DEFAULT '',
  `style` varchar(255) NOT NULL DEFAULT '',
  `away` int unsigned NOT NULL DEFAULT 0,
  `awaydate` varchar(255) NOT NULL DEFAULT '',
  `returndate` varchar(255) NOT NULL DEFAULT '',
  `awayreason` varchar(255) NOT NULL DEFAULT '',
  `pmfolders` varchar(255) NOT NULL DEFAULT '',
  `notepad` varchar(255) NOT NULL DEFAULT '',
  `referrer` varchar(255) NOT NULL DEFAULT '',
  `referrals` varchar(255) NOT NULL DEFAULT '',
  `reputation` varchar(255) NOT NULL DEFAULT '',
  `regip` varchar(255) NOT NULL DEFAULT '',
  `lastip` varchar(255) NOT NULL DEFAULT '',
  `language` varchar(255) NOT NULL DEFAULT '',
  `timeonline` varchar(255) NOT NULL DEFAULT '',
  `showcodebuttons` varchar(255) NOT NULL DEFAULT '',
  `totalpms` varchar(255) NOT NULL DEFAULT '',
  `unreadpms` varchar(255) NOT NULL DEFAULT '',
  `warningpoints` int unsigned NOT NULL DEFAULT 0,
  `moderateposts` int unsigned NOT NULL DEFAULT 0,
  `moderationtime` varchar(255) NOT NULL DEFAULT '',
  `suspendposting` int unsigned NOT NULL DEFAULT 0,
  `suspensiontime` varchar(255) NOT NULL DEFAULT '',
  `suspendsignature` varchar(255) NOT NULL DEFAULT '',
  `suspendsigtime` varchar(255) NOT NULL DEFAULT '',
  `coppauser` int unsigned NOT NULL DEFAULT 0,
  `classicpostbit` varchar(255) NOT NULL DEFAULT '',
  `loginattempts` int unsigned NOT NULL DEFAULT 0,
  `loginlockoutexpiry` int unsigned NOT NULL DEFAULT 0,
  `usernotes` varchar(255) NOT NULL DEFAULT '',
  `sourceeditor` varchar(255) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mybb_users` WRITE;
INSERT INTO `mybb_users` VALUES (1,'ada','9e60783aab09056d8205ae92f9e205fa','aB3dE6g1','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','ada@example.org',0,0,'','','',2,'',0,'',1600000001,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(2,'zoë','818660ec7bf310fbe8e4d7b7c5ff5c5e','aB3dE6g2','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','zoe@example.org',0,0,'','','',4,'',0,'',1600000002,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(3,'o\'hara','d98d3f4f15820e8d5c4724cfd9b85eaf','s3Q"\\\'','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','ohara@example.org',0,0,'','','',2,'',0,'',1600000003,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(4,'perma','9deff915f94f2dca835322e14f2df939','aB3dE6g4','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','perma@example.org',0,0,'','','',7,'',0,'',1600000004,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(5,'past','b936afa5537a14a7942a24b6db24a71f','aB3dE6g5','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','past@example.org',0,0,'','','',7,'',0,'',1600000005,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(6,'wait','83008e299c3daa4f6849b63c117ad2eb','aB3dE6g6','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','wait@example.org',0,0,'','','',5,'',0,'',1600000006,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(7,'spam','cc316a9af03f194ed57352bc2dada3e1','aB3dE6g7','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','spam@example.org',0,0,'','','',9,'',0,'',1600000007,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(8,'tmp','25861c0fac1307c5a89439ad795099c3','aB3dE6g8','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','tmp@example.org',0,0,'','','',2,'',0,'',1600000008,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(9,'group','da8f02a56a0a9e7472d6851ae9648d0c','aB3dE6g9','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','group@example.org',0,0,'','','',7,'',0,'',1600000009,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'',''),(10,'none','ca7ddbe0e3813401c193a0f40468501b','aB3dE6g0','KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK','',0,0,'','','',2,'',0,'',1600000010,0,0,0,'','','','','','','','','','',0,'','','','','','','','','','','','','','','','','','','','','','','','',0,'','','','','','','','','','','','','','','',0,0,'',0,'','','',0,'',0,0,'','');
UNLOCK TABLES;

-- Dump completed on 2026-03-01 12:00:00
