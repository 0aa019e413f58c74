-- MySQL dump 10.13  Distrib 8.0.43, for Linux (x86_64)
--
-- Host: localhost    Database: legacy
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

--
-- Table structure for table `mdl_tool_mfa`
--

DROP TABLE IF EXISTS `mdl_tool_mfa`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mdl_tool_mfa` (
  `id` int unsigned NOT NULL DEFAULT 0,
  `userid` int unsigned NOT NULL DEFAULT 0,
  `factor` varchar(255) NOT NULL DEFAULT '',
  `secret` varchar(255) NOT NULL DEFAULT '',
  `label` varchar(255) NOT NULL DEFAULT '',
  `timecreated` int unsigned NOT NULL DEFAULT 0,
  `createdfromip` varchar(255) NOT NULL DEFAULT '',
  `timemodified` int unsigned NOT NULL DEFAULT 0,
  `lastverified` int unsigned NOT NULL DEFAULT 0,
  `revoked` int unsigned NOT NULL DEFAULT 0,
  `lockcounter` int unsigned NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mdl_tool_mfa` WRITE;
INSERT INTO `mdl_tool_mfa` VALUES (1,2,'totp','JBSWY3DPEHPK3PXP','Phone',1,'',1,1,0,0),(2,3,'totp','JBSWY3DPEHPK3PXQ','Lost',1,'',1,1,1,0);
UNLOCK TABLES;

--
-- Table structure for table `mdl_user`
--

DROP TABLE IF EXISTS `mdl_user`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mdl_user` (
  `id` int unsigned NOT NULL DEFAULT 0,
  `auth` varchar(255) NOT NULL DEFAULT '',
  `confirmed` int unsigned NOT NULL DEFAULT 0,
  `policyagreed` int unsigned NOT NULL DEFAULT 0,
  `deleted` int unsigned NOT NULL DEFAULT 0,
  `suspended` int unsigned NOT NULL DEFAULT 0,
  `mnethostid` int unsigned NOT NULL DEFAULT 0,
  `username` varchar(255) NOT NULL DEFAULT '',
  `password` varchar(255) NOT NULL DEFAULT '',
  `idnumber` varchar(255) NOT NULL DEFAULT '',
  `firstname` varchar(255) NOT NULL DEFAULT '',
  `lastname` varchar(255) NOT NULL DEFAULT '',
  `email` varchar(255) NOT NULL DEFAULT '',
  `emailstop` int unsigned NOT NULL DEFAULT 0,
  `phone1` varchar(255) NOT NULL DEFAULT '',
  `phone2` varchar(255) NOT NULL DEFAULT '',
  `institution` varchar(255) NOT NULL DEFAULT '',
  `department` varchar(255) NOT NULL DEFAULT '',
  `address` varchar(255) NOT NULL DEFAULT '',
  `city` varchar(255) NOT NULL DEFAULT '',
  `country` varchar(255) NOT NULL DEFAULT '',
  `lang` varchar(255) NOT NULL DEFAULT '',
  `calendartype` varchar(255) NOT NULL DEFAULT '',
  `theme` varchar(255) NOT NULL DEFAULT '',
  `timezone` varchar(255) NOT NULL DEFAULT '',
  `firstaccess` int unsigned NOT NULL DEFAULT 0,
  `lastaccess` int unsigned NOT NULL DEFAULT 0,
  `lastlogin` int unsigned NOT NULL DEFAULT 0,
  `currentlogin` int unsigned NOT NULL DEFAULT 0,
  `lastip` varchar(255) NOT NULL DEFAULT '',
  `secret` varchar(255) NOT NULL DEFAULT '',
  `picture` int unsigned NOT NULL DEFAULT 0,
  `description` varchar(255) NOT NULL DEFAULT '',
  `descriptionformat` int unsigned NOT NULL DEFAULT 0,
  `mailformat` int unsigned NOT NULL DEFAULT 0,
  `maildigest` int unsigned NOT NULL DEFAULT 0,
  `maildisplay` int unsigned NOT NULL DEFAULT 0,
  `autosubscribe` int unsigned NOT NULL DEFAULT 0,
  `trackforums` int unsigned NOT NULL DEFAULT 0,
  `timecreated` int unsigned NOT NULL DEFAULT 0,
  `timemodified` int unsigned NOT NULL DEFAULT 0,
  `trustbitmask` int unsigned NOT NULL DEFAULT 0,
  `imagealt` varchar(255) NOT NULL DEFAULT '',
  `lastnamephonetic` varchar(255) NOT NULL DEFAULT '',
  `firstnamephonetic` varchar(255) NOT NULL DEFAULT '',
  `middlename` varchar(255) NOT NULL DEFAULT '',
  `alternatename` varchar(255) NOT NULL DEFAULT '',
  `moodlenetprofile` varchar(255) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mdl_user` WRITE;
INSERT INTO `mdl_user` VALUES (1,'manual',1,0,0,0,1,'guest','$2y$04$IuhNybwvy.KksEoZh3lDve6IXroi3EdCGwG2ZqzXMMwnutxxM/aTe','','Guest','X','root@localhost',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000001,0,0,'','','','','',''),(2,'manual',1,0,0,0,1,'ada','$2y$04$3zmCYyI8XWgITWDoi.rpwOwtdsZLlx99YQpMEl7BKIVJxec2EqbJu','','Ada','X','ada@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000002,0,0,'','','','','',''),(3,'email',1,0,0,0,1,'zoe','$6$rounds=1000$abcdefghijklmnop$2gl4nY7YLhn43kDY7SlNOVHaCxsR0W36qP4l/vYihLikn9u1OS1Vlxr6hS4hDrrhGRERR7wx6zj5Y6Lmh4lFr1','','Zoe','X','zoe@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000003,0,0,'','','','','',''),(4,'manual',1,0,0,0,1,'old','dce6d4259572e348f8c999e870df287e','','Old','X','old@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000004,0,0,'','','','','',''),(5,'manual',1,0,1,0,1,'gone@example.org.1600000005','','','Gone@Example.Org.1600000005','X','50c1f58be7f5e47e0f53d64c094783c2',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000005,0,0,'','','','','',''),(6,'manual',1,0,0,1,1,'susp','$2y$04$1lirWMaxWZvAim8vxJuZ9e/HjXA.5fcWNgADu6l/loQ.BJXE34LNW','','Susp','X','susp@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000006,0,0,'','','','','',''),(7,'nologin',1,0,0,0,1,'nologin','$2y$04$bbDxihPy6dbl4a4VoOZHyeS99QtcySKm7MQCyVtGBfjBUS7RV/n4i','','Nologin','X','nologin@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000007,0,0,'','','','','',''),(8,'email',0,0,0,0,1,'unconf','$2y$04$sYFwQR7uvySrTGAPi6pVl.kKKTQMeaK0c8CM0VDkhuEoeZT7dX0a6','','Unconf','X','unconf@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000008,0,0,'','','','','',''),(9,'oauth2',1,0,0,0,1,'oa','not cached','','Oa','X','oa@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000009,0,0,'','','','','',''),(10,'ldap',1,0,0,0,1,'ld','$2y$04$97PdQKpnbMhCS.G1KpO.D.W1lFpxkUtNiwDJW1Gab7UuCoYN3VBYa','','Ld','X','ld@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000010,0,0,'','','','','',''),(11,'webservice',1,0,0,0,1,'ws','$2y$04$Z1cwnAKw1w9a3fc/.hLkd.Ee8/.WIPRt0kQS0/AwHhfUCF5BtBeFq','','Ws','X','ws@example.org',0,'','','','','','','','en','gregorian','','99',0,0,0,0,'','',0,NULL,0,0,0,0,0,0,1600000011,0,0,'','','','','','');
UNLOCK TABLES;

--
-- Table structure for table `mdl_user_preferences`
--

DROP TABLE IF EXISTS `mdl_user_preferences`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `mdl_user_preferences` (
  `id` int unsigned NOT NULL DEFAULT 0,
  `userid` int unsigned NOT NULL DEFAULT 0,
  `name` varchar(255) NOT NULL DEFAULT '',
  `value` varchar(255) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mdl_user_preferences` WRITE;
INSERT INTO `mdl_user_preferences` VALUES (1,4,'auth_forcepasswordchange','1'),(2,2,'htmleditor','');
UNLOCK TABLES;

-- Dump completed on 2026-03-01 12:00:00
