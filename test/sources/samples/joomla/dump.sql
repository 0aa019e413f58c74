/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: joomla
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `jos_users`
--

DROP TABLE IF EXISTS `jos_users`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_users` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(400) NOT NULL DEFAULT '',
  `username` varchar(150) NOT NULL DEFAULT '',
  `email` varchar(100) NOT NULL DEFAULT '',
  `password` varchar(100) NOT NULL DEFAULT '',
  `block` tinyint(4) NOT NULL DEFAULT 0,
  `sendEmail` tinyint(4) DEFAULT 0,
  `registerDate` datetime NOT NULL,
  `lastvisitDate` datetime DEFAULT NULL,
  `activation` varchar(100) NOT NULL DEFAULT '',
  `params` text NOT NULL,
  `lastResetTime` datetime DEFAULT NULL COMMENT 'Date of last password reset',
  `resetCount` int(11) NOT NULL DEFAULT 0,
  `otpKey` varchar(1000) NOT NULL DEFAULT '',
  `otep` varchar(1000) NOT NULL DEFAULT '',
  `requireReset` tinyint(4) NOT NULL DEFAULT 0,
  `authProvider` varchar(100) NOT NULL DEFAULT '',
  PRIMARY KEY (`id`),
  UNIQUE KEY `idx_username` (`username`)
) ENGINE=InnoDB AUTO_INCREMENT=57 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_users`
--

LOCK TABLES `jos_users` WRITE;
/*!40000 ALTER TABLE `jos_users` DISABLE KEYS */;
INSERT INTO `jos_users` VALUES
(42,'Super User','root','root@example.com','$2y$04$t0zvZWUV0zOb3IqEtC9CcONeMqM27SCx0GkK2D4sYogmWU5g7W7Ei',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(43,'Ada Lovelace','ada','ada@example.com','$2y$04$w1togmiIrD16NXBf3.dXEO3rT4IvIze/udnxxBcShl5I3NawJqkU2',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(44,'Zoë 😀','zoe','zoe@example.com','$2y$04$NJhEf93cQfjIUlenjuINOeBzIkl8xwMKzzT5xuLJIren4OLW7MWBS',0,0,'2023-05-06 07:08:09',NULL,'$2y$04$resettokenresettokenresettokenresettokenresettokenrese','{}',NULL,0,'','',0,''),
(45,'Md5','md5','md5@example.com','948db5afb164b27d07b4b68bf62c5a0b:aB3xY9kLmN0pQrStUvWxYz0123456789',0,0,'2023-05-06 07:08:09',NULL,'0','{}',NULL,0,'','',0,''),
(46,'Sha','sha','sha@example.com','{SHA256}1e30c636b6d3f1dbbc82d2815a626fe299a6c1f4d182915e33386b5c2ca618a1:aB3xY9kLmN0pQrSt',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(47,'Phpass','phpass','phpass@example.com','$P$5usgXb9/E1xfpkUuoG2Ru2.KPLv8RZ0',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(48,'Argon','argon','argon@example.com','$argon2i$v=19$m=1024,t=2,p=1$WE9Gb2gzRUdja1p5alRFSA$IpGGgeCLEmKbAoLsKuNvogyET4NGQrXw5WYv6k9CilQ',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(49,'Blocked','blocked','blocked@example.com','$2y$04$XCwzHq8qLfDdJQZPa1BB3uM4G.GG1VWN05A7EjCK/QihrgU28.8/m',1,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(50,'Not Activated','new','new@example.com','$2y$04$QHhHYfnLpR4U7ZUhyk42XOKMSsvMP8QkhIi6vXlMu4Mo4b5B7RSGa',1,0,'2023-05-06 07:08:09',NULL,'f3a9c7d2e1b4','{}',NULL,0,'','',0,''),
(51,'No Group','nogroup','nogroup@example.com','$2y$04$TJmGMqD4JSk.9eqCNdl8hOyh1OW4S.BBetVPrbvoabKUJOyV79BiG',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(52,'Guest Only','guest','guest@example.com','$2y$04$Nv.wkBgMyN94d5p/Tr98ZuPSAWXRCGptHzqed6Ix/mcNMT70UH.m2',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(53,'Banned','banned','banned@example.com','$2y$04$LdGIRqVKXRp0PHDX13sSrurVXOd8bjBDQy1oNj1VgllETw3/xU9wm',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(54,'Mfa','mfa','mfa@example.com','$2y$04$PDZPqvrdqU.sm34rS0nCP.999aFr5.MzVVuInhQJITtXe5YBtGaGa',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',0,''),
(55,'Old Mfa','oldmfa','oldmfa@example.com','$2y$04$ZuL3l/ippmN4ZCWEl8lUiefGF7VJGcdtIJ9CmJ9jgy8.dsnFSAJeW',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'totp:AbCdEf0123==','',0,''),
(56,'Must Reset','must','must@example.com','$2y$04$GK1K8kI3UG5Fv4Ti34o91.8XtfsIzpQqbPxM3WSXgZ8Na/sBE3joa',0,0,'2023-05-06 07:08:09',NULL,'','{}',NULL,0,'','',1,'');
/*!40000 ALTER TABLE `jos_users` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `jos_user_usergroup_map`
--

DROP TABLE IF EXISTS `jos_user_usergroup_map`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_user_usergroup_map` (
  `user_id` int(10) unsigned NOT NULL DEFAULT 0,
  `group_id` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`user_id`,`group_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_user_usergroup_map`
--

LOCK TABLES `jos_user_usergroup_map` WRITE;
/*!40000 ALTER TABLE `jos_user_usergroup_map` DISABLE KEYS */;
INSERT INTO `jos_user_usergroup_map` VALUES
(42,8),
(43,2),
(44,3),
(45,2),
(46,2),
(47,2),
(48,5),
(49,2),
(50,2),
(52,9),
(53,2),
(53,12),
(54,2),
(55,2),
(56,7);
/*!40000 ALTER TABLE `jos_user_usergroup_map` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `jos_usergroups`
--

DROP TABLE IF EXISTS `jos_usergroups`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_usergroups` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `parent_id` int(10) unsigned NOT NULL DEFAULT 0,
  `lft` int(11) NOT NULL DEFAULT 0,
  `rgt` int(11) NOT NULL DEFAULT 0,
  `title` varchar(100) NOT NULL DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_usergroups`
--

LOCK TABLES `jos_usergroups` WRITE;
/*!40000 ALTER TABLE `jos_usergroups` DISABLE KEYS */;
INSERT INTO `jos_usergroups` VALUES
(1,0,1,20,'Public'),
(2,1,8,15,'Registered'),
(3,2,9,14,'Author'),
(4,3,10,13,'Editor'),
(5,4,11,12,'Publisher'),
(6,1,4,7,'Manager'),
(7,6,5,6,'Administrator'),
(8,1,16,17,'Super Users'),
(9,1,2,3,'Guest'),
(12,1,18,19,'Banned');
/*!40000 ALTER TABLE `jos_usergroups` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `jos_assets`
--

DROP TABLE IF EXISTS `jos_assets`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_assets` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `parent_id` int(11) NOT NULL DEFAULT 0,
  `lft` int(11) NOT NULL DEFAULT 0,
  `rgt` int(11) NOT NULL DEFAULT 0,
  `level` int(10) unsigned NOT NULL,
  `name` varchar(50) NOT NULL,
  `title` varchar(100) NOT NULL,
  `rules` varchar(5120) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `idx_asset_name` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_assets`
--

LOCK TABLES `jos_assets` WRITE;
/*!40000 ALTER TABLE `jos_assets` DISABLE KEYS */;
INSERT INTO `jos_assets` VALUES
(1,0,0,155,0,'root.1','Root Asset','{\"core.login.site\":{\"6\":1,\"2\":1,\"12\":0},\"core.login.admin\":{\"6\":1},\"core.login.api\":{\"8\":1},\"core.login.offline\":{\"6\":1},\"core.admin\":{\"8\":1},\"core.manage\":{\"7\":1},\"core.create\":{\"6\":1,\"3\":1},\"core.delete\":{\"6\":1},\"core.edit\":{\"6\":1,\"4\":1},\"core.edit.state\":{\"6\":1,\"5\":1},\"core.edit.own\":{\"6\":1,\"3\":1}}'),
(2,1,1,2,1,'com_admin','com_admin','{}');
/*!40000 ALTER TABLE `jos_assets` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `jos_user_mfa`
--

DROP TABLE IF EXISTS `jos_user_mfa`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_user_mfa` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `user_id` int(10) unsigned NOT NULL,
  `title` varchar(255) NOT NULL DEFAULT '',
  `method` varchar(100) NOT NULL,
  `default` tinyint(4) NOT NULL DEFAULT 0,
  `options` mediumtext NOT NULL,
  `created_on` datetime NOT NULL,
  `last_used` datetime DEFAULT NULL,
  `tries` int(11) NOT NULL DEFAULT 0,
  `last_try` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_user_mfa`
--

LOCK TABLES `jos_user_mfa` WRITE;
/*!40000 ALTER TABLE `jos_user_mfa` DISABLE KEYS */;
INSERT INTO `jos_user_mfa` VALUES
(1,54,'Authenticator','totp',1,'###AES128###abc','2023-05-06 07:08:09',NULL,0,NULL),
(2,54,'Backup','backupcodes',0,'###AES128###def','2023-05-06 07:08:09',NULL,0,NULL),
(3,43,'Backup','backupcodes',0,'###AES128###def','2023-05-06 07:08:09',NULL,0,NULL);
/*!40000 ALTER TABLE `jos_user_mfa` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `jos_user_profiles`
--

DROP TABLE IF EXISTS `jos_user_profiles`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `jos_user_profiles` (
  `user_id` int(11) NOT NULL,
  `profile_key` varchar(100) NOT NULL,
  `profile_value` text NOT NULL,
  `ordering` int(11) NOT NULL DEFAULT 0,
  UNIQUE KEY `k` (`user_id`,`profile_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `jos_user_profiles`
--

LOCK TABLES `jos_user_profiles` WRITE;
/*!40000 ALTER TABLE `jos_user_profiles` DISABLE KEYS */;
INSERT INTO `jos_user_profiles` VALUES
(43,'profile.city','\"London\"',1);
/*!40000 ALTER TABLE `jos_user_profiles` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-28 19:16:19
